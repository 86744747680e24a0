"""Whether EC2 offers the instance types of clusters in their zones. SageMaker has no API that says what it offers.

https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeInstanceTypeOfferings.html
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sizewell.account.aws_account import AwsAccount
from sizewell.account.check import Answer, Check, Place, fails, passes, warns
from sizewell.planning.foundation_plan_model import ExistingNetworkPlan
from sizewell.targets.eks.pods_plan_model import EksPlan
from sizewell.targets.plan_model import OnEc2Plan


@dataclass(frozen=True)
class _Pool:
    workload: str
    instance_types: tuple[str, ...]
    """Each in place of the others, the chosen one first."""
    subnets: Mapping[str, tuple[str, ...]]
    """Filters of DescribeSubnets for those in which instances are launched; without any, those of all zones."""


def _subjects(place: Place) -> Iterator[_Pool]:
    network = place.foundation.network
    for workload in place.workloads:
        if isinstance(workload, EksPlan):
            tags = {f"tag:{key}": (value,) for key, value in workload.cluster.discovery_tags.items()}
            ids = {"subnet-id": workload.cluster.subnet_ids} if workload.cluster.subnet_ids else {}
            yield _Pool(workload.name, workload.node_pool.instance_types, ids or tags)
        elif isinstance(workload, OnEc2Plan):
            ids = {"subnet-id": network.subnet_ids} if isinstance(network, ExistingNetworkPlan) else {}
            yield _Pool(workload.name, workload.instance_pools, ids)


def _ask(aws: AwsAccount, subject: _Pool) -> Iterator[Answer]:
    zones = _zones(aws, subject)
    if subject.subnets and not zones:
        yield warns(
            subject.workload,
            f"no subnet has {', '.join(f'{name} = {value}' for name, values in subject.subnets.items() for value in values)}",
            "look at the subnets of the cluster: instances are launched in those",
        )
    where = ", ".join(zones) if zones else aws.region
    offers = _offers(aws, subject.instance_types)
    offered = {
        name: sorted(offers.get(name, set()) & zones if zones else offers.get(name, set()))
        for name in subject.instance_types
    }
    first = subject.instance_types[0]
    if not any(offered.values()):
        yield fails(
            f"{subject.workload}: {first}",
            f"EC2 offers none of {', '.join(subject.instance_types)} in {where}",
            "name subnets in other zones, or another type as instances.instance_type",
        )
        return
    for name in subject.instance_types:
        if not offered[name]:
            yield warns(
                f"{subject.workload}: {name}",
                f"EC2 does not offer it in {where}: {', '.join(other for other in offered if offered[other])} run in its place",
                "nothing, or name subnets in other zones",
            )
        elif missing := sorted(zones - set(offered[name])):
            yield warns(
                f"{subject.workload}: {name}",
                f"EC2 offers it in {', '.join(offered[name])}, and not in {', '.join(missing)}",
                "nothing, or name subnets in other zones",
            )
        else:
            yield passes(f"{subject.workload}: {name}", f"offered in {', '.join(offered[name])}")


def _zones(aws: AwsAccount, subject: _Pool) -> set[str]:
    if not subject.subnets:
        return set()
    filters = [{"Name": name, "Values": list(values)} for name, values in subject.subnets.items()]
    pages = aws.client("ec2").get_paginator("describe_subnets").paginate(Filters=filters)
    return {subnet["AvailabilityZone"] for page in pages for subnet in page["Subnets"]}


def _offers(aws: AwsAccount, instance_types: tuple[str, ...]) -> dict[str, set[str]]:
    pages = (
        aws.client("ec2")
        .get_paginator("describe_instance_type_offerings")
        .paginate(
            LocationType="availability-zone",
            Filters=[{"Name": "instance-type", "Values": list(instance_types)}],
        )
    )
    found: dict[str, set[str]] = {}
    for page in pages:
        for offer in page["InstanceTypeOfferings"]:
            found.setdefault(offer["InstanceType"], set()).add(offer["Location"])
    return found


OFFERS = Check(
    name="offers",
    actions=("ec2:DescribeInstanceTypeOfferings", "ec2:DescribeSubnets"),
    subjects=_subjects,
    ask=_ask,
    named=lambda pool: f"{pool.workload}: {pool.instance_types[0]}",
)
