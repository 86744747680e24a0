"""Makes stand-ins for clusters of Amazon EKS: a platform names clusters that exist, and the local cloud starts empty.

Runs as a process of its own, which knows no other account: ``python -m sizewell_localcloud.clusters NAME=VERSION ...``.
"""

import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import boto3  # type: ignore[import-untyped,unused-ignore]

#: A cluster has one; the local cloud does not look at it.
ROLE = "arn:aws:iam::000000000000:role/of-a-stand-in"


def main(clusters: list[str]) -> None:
    """Make those that are missing in the account that the variables of this process lead to, and say which."""
    versions = {name: version for name, _, version in (one.partition("=") for one in clusters)}
    for name in make_missing(boto3.client("eks"), versions):
        print(f"made a stand-in for the cluster {name}, which an account must have", file=sys.stderr)


def make_missing(eks: Any, versions: Mapping[str, str]) -> list[str]:
    """Make the clusters that are not there, with their versions, and return their names. No pod will ever run in them."""
    made = []
    for name, version in sorted(versions.items()):
        with suppress(eks.exceptions.ResourceInUseException):
            eks.create_cluster(name=name, version=version, roleArn=ROLE, resourcesVpcConfig={})
            made.append(name)
    return made


if __name__ == "__main__":
    main(sys.argv[1:])
