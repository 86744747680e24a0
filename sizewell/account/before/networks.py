"""A VPC that exists: its subnets, with addresses for all instances, its security groups, endpoints and names.

Subnets should have two private addresses for each instance, five where instances use an EFA:
https://docs.aws.amazon.com/sagemaker/latest/dg/host-vpc.html#host-vpc-ip,
https://docs.aws.amazon.com/sagemaker/latest/dg/train-vpc.html#train-vpc-ip. A task of ECS has one beside that of its instance:
https://docs.aws.amazon.com/AmazonECS/latest/developerguide/task-networking-awsvpc.html. An endpoint needs subnets in two zones:
https://docs.aws.amazon.com/sagemaker/latest/dg/host-vpc.html#host-vpc-configure. Interface endpoints with private DNS need both
attributes of the VPC: https://docs.aws.amazon.com/vpc/latest/privatelink/create-interface-endpoint.html#prerequisites-interface-endpoints
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError

from sizewell.account.aws_account import AwsAccount
from sizewell.account.check import Answer, Check, Place, fails, passes, warns
from sizewell.account.deployed import deployed_stack
from sizewell.aws_errors import is_missing
from sizewell.facts.quotas import instances_in
from sizewell.planning.foundation_plan_model import ExistingNetworkPlan, FoundationPlan
from sizewell.planning.workload_plan import WorkloadPlan
from sizewell.targets.batch.jobs_plan_model import BatchJobsPlan
from sizewell.targets.ecs.tasks_plan_model import EcsTasksPlan

_ADDRESSES, _ADDRESSES_WITH_EFA = 2, 5
_DNS = ("enableDnsSupport", "enableDnsHostnames")


@dataclass(frozen=True)
class _Network:
    foundation: FoundationPlan
    network: ExistingNetworkPlan
    least_addresses: int
    """One for each instance, as if all ran and were exchanged."""
    addresses: int
    """As many as AWS asks for."""
    has_endpoints: bool
    group_ids: tuple[str, ...]


@dataclass(frozen=True)
class _Look:
    """A part of the network, asked about for itself: another one may be hidden from the caller."""

    part: str
    network: _Network


def _subjects(place: Place) -> Iterator[_Look]:
    network = place.foundation.network
    if isinstance(network, ExistingNetworkPlan):
        planned = _planned(place, network)
        yield from (_Look(part, planned) for part in _LOOKS)


def _planned(place: Place, network: ExistingNetworkPlan) -> _Network:
    existing = place.foundation.existing
    inside = [workload for workload in place.workloads if workload.in_vpc]
    groups = {
        existing.endpoint_security_group_id,
        existing.training_security_group_id,
        *(mounted.security_group_id for mounted in network.mounted_groups),
        *(
            group_id
            for workload in inside
            if isinstance(workload, EcsTasksPlan)
            for group_id in workload.cluster.caller_security_groups
        ),
    }
    return _Network(
        foundation=place.foundation,
        network=network,
        least_addresses=sum(_instances(workload) for workload in inside),
        addresses=sum(_instances(workload) * _addresses_each(workload) for workload in inside),
        has_endpoints=any(hasattr(workload, "endpoint_name") for workload in inside),
        group_ids=tuple(sorted(group_id for group_id in groups if group_id is not None)),
    )


def _instances(workload: WorkloadPlan) -> int:
    """Return how many instances a workload has at most, those of an exchange of its fleet as well."""
    if isinstance(workload, EcsTasksPlan):
        return workload.max_tasks
    if isinstance(workload, BatchJobsPlan):
        return workload.max_vcpus // workload.vcpus
    return instances_in(workload.quotas)


def _addresses_each(workload: WorkloadPlan) -> int:
    return _ADDRESSES_WITH_EFA if workload.peer_count > 1 else _ADDRESSES


def _ask(aws: AwsAccount, subject: _Look) -> Iterator[Answer]:
    yield from _LOOKS[subject.part](aws, subject.network)


def _of_vpc(aws: AwsAccount, subject: _Network) -> Iterator[Answer]:
    vpc_id = subject.network.vpc_id
    try:
        aws.client("ec2").describe_vpcs(VpcIds=[vpc_id])
    except ClientError as error:
        if not is_missing(error):
            raise
        yield fails(vpc_id, f"there is no such VPC in {aws.where}", "name another one as network.vpc_id")
        return
    yield passes(vpc_id, "exists")
    for attribute in _DNS:
        answer = aws.client("ec2").describe_vpc_attribute(VpcId=vpc_id, Attribute=attribute)
        if answer[attribute[0].upper() + attribute[1:]]["Value"]:
            yield passes(attribute, "is on")
        else:
            yield warns(
                attribute,
                "is off: names of interface endpoints with private DNS are not found",
                f"aws ec2 modify-vpc-attribute --vpc-id {vpc_id} --{_as_flag(attribute)} --region {aws.region}",
            )


def _of_subnets(aws: AwsAccount, subject: _Network) -> Iterator[Answer]:
    network = subject.network
    # As a filter, ids of which one is missing are no error.
    subnets = _all(aws, "describe_subnets", "subnet-id", network.subnet_ids)
    found = {subnet["SubnetId"]: subnet for subnet in subnets}
    for subnet_id in network.subnet_ids:
        if subnet_id not in found:
            yield fails(
                subnet_id, f"there is no such subnet in {aws.where}", "name another one as network.subnet_ids"
            )
        elif (vpc_id := found[subnet_id]["VpcId"]) != network.vpc_id:
            yield fails(subnet_id, f"it is in {vpc_id}, and not in {network.vpc_id}", "name one of the VPC")
        elif found[subnet_id]["AvailableIpAddressCount"] == 0:
            yield warns(subnet_id, "no address is free", "free some: nothing starts in its zone until then")
        else:
            free = found[subnet_id]["AvailableIpAddressCount"]
            yield passes(subnet_id, f"{found[subnet_id]['AvailabilityZone']}, {free:,} addresses are free")
    if not subnets:
        return
    yield from _of_zones(subject, subnets)
    yield _of_addresses(aws, subject, sum(subnet["AvailableIpAddressCount"] for subnet in subnets))


def _of_zones(subject: _Network, subnets: list[dict[str, Any]]) -> Iterator[Answer]:
    zones = sorted({subnet["AvailabilityZone"] for subnet in subnets})
    words = f"{len(subnets)} subnets in {', '.join(zones)}"
    if len(zones) < 2 and subject.has_endpoints:
        yield fails("zones", f"{words}; an endpoint needs two zones", "name a subnet in another zone as well")
    elif len(zones) < len(subnets):
        yield warns(
            "zones",
            f"{words}; the configuration counts each subnet as a zone",
            "name one subnet of each zone: policy.min_availability_zones counts subnets",
        )


def _of_addresses(aws: AwsAccount, subject: _Network, free: int) -> Answer:
    words = f"{free:,} are free in all subnets, {subject.addresses:,} needed when everything runs and is exchanged"
    to_do = "free some, or name larger subnets as network.subnet_ids"
    if free >= subject.addresses:
        return passes("addresses", words)
    if free == 0 and subject.least_addresses:
        return fails("addresses", words, to_do)
    # What runs already has its own, which are none of the free ones.
    if free < subject.least_addresses and deployed_stack(aws, subject.foundation.stack_name) is None:
        return fails("addresses", words, to_do)
    return warns("addresses", f"{words}; what runs already has its own", to_do)


def _of_groups(aws: AwsAccount, subject: _Network) -> Iterator[Answer]:
    if not subject.group_ids:
        return
    found = {
        group["GroupId"]: group
        for group in _all(aws, "describe_security_groups", "group-id", subject.group_ids)
    }
    for group_id in subject.group_ids:
        if group_id not in found:
            yield fails(group_id, f"there is no such security group in {aws.where}", "name another one")
        elif found[group_id].get("VpcId") != subject.network.vpc_id:
            yield fails(
                group_id, f"it is of {found[group_id].get('VpcId')}", f"name one of {subject.network.vpc_id}"
            )
        else:
            yield passes(group_id, "exists")


def _of_endpoints(aws: AwsAccount, subject: _Network) -> Iterator[Answer]:
    available = [
        endpoint
        for endpoint in _all(aws, "describe_vpc_endpoints", "vpc-id", (subject.network.vpc_id,))
        if endpoint.get("State", "available").lower() == "available"
    ]
    if (s3 := _endpoint(available, aws.region, "s3")) is not None:
        yield passes("s3", f"has an endpoint of type {s3.get('VpcEndpointType', 'Gateway')}")
    else:
        yield warns(
            "s3",
            "the VPC has no endpoint of S3: models and data pass another way, or none",
            "make a gateway endpoint, which costs nothing, or look whether the subnets have another way",
        )
    for needed in subject.network.interface_endpoints:
        found = _endpoint(available, aws.region, needed.service)
        if found is None:
            yield warns(
                needed.service,
                f"the VPC has no interface endpoint ({needed.reason})",
                "make one, or look whether the subnets reach the service by another way",
            )
        elif not found.get("PrivateDnsEnabled"):
            yield warns(
                needed.service,
                "its interface endpoint has no private DNS: SDKs call the usual name of the service",
                "turn private DNS on, or look whether a hosted zone of Route 53 has the name",
            )
        else:
            yield passes(needed.service, "has an interface endpoint with private DNS")


def _endpoint(endpoints: list[dict[str, Any]], region: str, service: str) -> dict[str, Any] | None:
    # What comes before the region is another text in China, and of some services.
    end = f".{region}.{service}"
    return next((endpoint for endpoint in endpoints if endpoint["ServiceName"].endswith(end)), None)


def _as_flag(attribute: str) -> str:
    return "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in attribute)


def _all(aws: AwsAccount, operation: str, filter_name: str, values: tuple[str, ...]) -> list[dict[str, Any]]:
    pages = (
        aws.client("ec2")
        .get_paginator(operation)
        .paginate(Filters=[{"Name": filter_name, "Values": list(values)}])
    )
    return [
        item for page in pages for key, found in page.items() if isinstance(found, list) for item in found
    ]


_LOOKS = {
    "VPC": _of_vpc,
    "subnets": _of_subnets,
    "security groups": _of_groups,
    "endpoints": _of_endpoints,
}
NETWORKS = Check(
    name="network",
    actions=(
        "ec2:DescribeVpcs",
        "ec2:DescribeSubnets",
        "ec2:DescribeSecurityGroups",
        "ec2:DescribeVpcEndpoints",
        "ec2:DescribeVpcAttribute",
        "cloudformation:DescribeStacks",
    ),
    subjects=_subjects,
    ask=_ask,
    named=lambda look: look.part,
)
