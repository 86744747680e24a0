"""The clusters in which workloads run: they exist, are active and are what the configuration says of them.

``eks:ListAddons`` names what Amazon EKS installed. What Helm installed is none of it, so nothing that is missing there fails.
https://docs.aws.amazon.com/eks/latest/APIReference/API_ListAddons.html
"""

from collections.abc import Iterator

from botocore.exceptions import ClientError

from sizewell.account.aws_account import AwsAccount
from sizewell.account.check import Answer, Check, Place, fails, passes, warns
from sizewell.account.parts import parts_of
from sizewell.aws_errors import is_missing
from sizewell.targets.ecs.tasks_plan_model import EcsClusterPlan
from sizewell.targets.eks.pods_plan_model import EksClusterPlan
from sizewell.targets.plan_model import ClusterPlan

#: The components of a cluster that are add-ons of Amazon EKS, by what the configuration calls them:
#: https://docs.aws.amazon.com/eks/latest/userguide/workloads-add-ons-available-eks.html
_ADDONS = {"pod-identity-agent": "eks-pod-identity-agent"}


def _subjects(place: Place) -> Iterator[EksClusterPlan | EcsClusterPlan]:
    found = {
        cluster.key: cluster for workload in place.workloads for cluster in parts_of(workload, ClusterPlan)
    }
    # AWS Batch has no cluster of its own: it makes its compute environments.
    yield from (cluster for cluster in found.values() if isinstance(cluster, EksClusterPlan | EcsClusterPlan))


def _ask(aws: AwsAccount, subject: EksClusterPlan | EcsClusterPlan) -> Iterator[Answer]:
    yield from _of_eks(aws, subject) if isinstance(subject, EksClusterPlan) else _of_ecs(aws, subject)


def _of_eks(aws: AwsAccount, subject: EksClusterPlan) -> Iterator[Answer]:
    try:
        cluster = aws.client("eks").describe_cluster(name=subject.name)["cluster"]
    except ClientError as error:
        if not is_missing(error):
            raise
        yield _is_missing(aws, subject, "Amazon EKS")
        return
    if cluster["status"] not in ("ACTIVE", "UPDATING"):
        yield fails(subject.name, f"it is {cluster['status']}", "wait until it is ACTIVE")
    elif cluster["version"] != subject.version:
        yield warns(
            subject.name,
            f"it runs Kubernetes {cluster['version']}, and the configuration says {subject.version}",
            f'write clusters.{subject.key}.version: "{cluster["version"]}"',
        )
    else:
        yield passes(subject.name, f"{cluster['status']}, Kubernetes {cluster['version']}")
    auto_mode = cluster.get("computeConfig", {}).get("enabled", False)
    if (subject.nodes == "auto-mode") != auto_mode:
        yield warns(
            f"{subject.name}: nodes",
            f"EKS Auto Mode is {'on' if auto_mode else 'off'}, and the configuration says {subject.nodes}",
            f"look at clusters.{subject.key}.nodes",
        )
    if wanted := {name: addon for name, addon in _ADDONS.items() if name in subject.has and not auto_mode}:
        pages = aws.client("eks").get_paginator("list_addons").paginate(clusterName=subject.name)
        installed = {addon for page in pages for addon in page["addons"]}
        for name, addon in wanted.items():
            if addon in installed:
                yield passes(f"{subject.name}: {name}", "installed as an add-on")
            else:
                yield warns(
                    f"{subject.name}: {name}",
                    f"it is no add-on of the cluster ({addon})",
                    "look whether Helm installed it: nothing here tells",
                )


def _of_ecs(aws: AwsAccount, subject: EcsClusterPlan) -> Iterator[Answer]:
    clusters = aws.client("ecs").describe_clusters(clusters=[subject.name])["clusters"]
    if not clusters:
        yield _is_missing(aws, subject, "Amazon ECS")
    elif clusters[0]["status"] != "ACTIVE":
        yield fails(subject.name, f"it is {clusters[0]['status']}", "wait until it is ACTIVE")
    else:
        yield passes(subject.name, "ACTIVE")


def _is_missing(aws: AwsAccount, subject: ClusterPlan, service: str) -> Answer:
    return fails(
        subject.name,
        f"there is no such cluster of {service} in {aws.where}",
        f"make it, or name another one as clusters.{subject.key}.name",
    )


CLUSTERS = Check(
    name="clusters",
    actions=("eks:DescribeCluster", "eks:ListAddons", "ecs:DescribeClusters"),
    subjects=_subjects,
    ask=_ask,
    named=lambda cluster: cluster.name,
)
