"""Makes stand-ins for clusters of Amazon EKS and ECS: a platform names clusters that exist, and the local cloud starts empty.

Runs as a process of its own, which knows no other account: ``python -m sizewell_localcloud.clusters eks/NAME=1.35 ecs/NAME``.
"""

import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

import boto3  # type: ignore[import-untyped,unused-ignore]

#: A cluster of EKS has one; the local cloud does not look at it.
ROLE = "arn:aws:iam::000000000000:role/of-a-stand-in"


def main(clusters: list[str]) -> None:
    """Make those that are missing in the account that the variables of this process lead to, and say which."""
    for name in make_missing(boto3.client, clusters):
        print(f"made a stand-in for the cluster {name}, which an account must have", file=sys.stderr)


def make_missing(client: Callable[[str], Any], clusters: Iterable[str]) -> list[str]:
    """Make the clusters that are not there, and return their names. Nothing will ever run in them."""
    made = []
    for cluster in sorted(clusters):
        service, _, rest = cluster.partition("/")
        name, _, version = rest.partition("=")
        if service == "ecs":
            ecs = client("ecs")
            if not ecs.describe_clusters(clusters=[name])["clusters"]:
                ecs.create_cluster(clusterName=name)
                made.append(name)
            continue
        eks = client("eks")
        with suppress(eks.exceptions.ResourceInUseException):
            eks.create_cluster(name=name, version=version, roleArn=ROLE, resourcesVpcConfig={})
            made.append(name)
    return made


if __name__ == "__main__":
    main(sys.argv[1:])
