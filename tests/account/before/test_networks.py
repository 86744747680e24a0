"""A VPC that exists."""

from collections.abc import Mapping
from typing import Any

import pytest

from sizewell.account.before.networks import NETWORKS
from sizewell.account.finding import Finding, Outcome
from sizewell.planning.build import build_plan
from sizewell.planning.plan import DeploymentPlan
from tests.account.builders import Call, Refusal, ScriptedAccount, findings
from tests.instance_selection.builders import catalog, gpu_instance
from tests.planning.builders import endpoint, environment

VPC, SUBNETS = "vpc-0123456789abcdef0", ("subnet-0123456789abcdef0", "subnet-0123456789abcdef1")
GROUP = "sg-0123456789abcdef0"
FIXED = {"scaling": {"min_instances": 2, "max_instances": 2}, "rollout": {"strategy": "all-at-once"}}


def plan(**changes: Any) -> DeploymentPlan:
    """Two instances, four while they are exchanged."""
    network = {"mode": "existing", "vpc_id": VPC, "subnet_ids": list(SUBNETS)}
    return build_plan(
        environment({"plants": endpoint(**FIXED)}, network=network, **changes),
        catalog(gpu_instance(), usd_per_hour={"ml.g9.xlarge": 1.0}),
    )


def subnet(index: int, *, free: int = 50, vpc_id: str = VPC, zone: str = "") -> dict[str, Any]:
    return {
        "SubnetId": SUBNETS[index],
        "VpcId": vpc_id,
        "AvailabilityZone": zone or f"us-east-1{'ab'[index]}",
        "AvailableIpAddressCount": free,
    }


def vpc_endpoint(service: str, **more: Any) -> dict[str, Any]:
    name = f"com.amazonaws.us-east-1.{service}"
    return {"ServiceName": name, "State": "available", "PrivateDnsEnabled": True, **more}


ENDPOINTS = [vpc_endpoint("s3", VpcEndpointType="Gateway"), vpc_endpoint("sagemaker.runtime")]


def found(
    subnets: list[dict[str, Any]] | None = None,
    *,
    groups: list[dict[str, Any]] | None = None,
    endpoints: list[dict[str, Any]] = ENDPOINTS,
    dns: bool = True,
    stack: Call | None = None,
    of: DeploymentPlan | None = None,
) -> Mapping[str, Finding]:
    def attribute(name: str) -> dict[str, Any]:
        return {name: {"Value": dns}}

    calls: list[Call] = [
        ("describe_vpcs", {"Vpcs": [{"VpcId": VPC}]}, {"VpcIds": [VPC]}),
        ("describe_vpc_attribute", attribute("EnableDnsSupport")),
        ("describe_vpc_attribute", attribute("EnableDnsHostnames")),
        ("describe_subnets", {"Subnets": subnets if subnets is not None else [subnet(0), subnet(1)]}),
        *([("describe_security_groups", {"SecurityGroups": groups})] if groups is not None else []),
        ("describe_vpc_endpoints", {"VpcEndpoints": endpoints}),
    ]
    aws = ScriptedAccount({"ec2": calls, "cloudformation": [stack] if stack else []})
    return {finding.subject: finding for finding in findings(NETWORKS, of or plan(), aws)}


def wrong(found: Mapping[str, Finding]) -> dict[str, Outcome]:
    return {name: finding.outcome for name, finding in found.items() if finding.outcome is not Outcome.PASS}


NO_STACK: Call = ("describe_stacks", Refusal("ValidationError", "Stack with id x does not exist"))
A_STACK: Call = (
    "describe_stacks",
    {"Stacks": [{"StackName": "x", "CreationTime": "2026-01-01", "StackStatus": "CREATE_COMPLETE"}]},
)


def test_a_network_that_is_as_it_must_be_passes() -> None:
    all_of_it = found()
    assert wrong(all_of_it) == {}
    assert (
        all_of_it["addresses"].says
        == "100 are free in all subnets, 8 needed when everything runs and is exchanged"
    )


def test_a_vpc_that_is_missing_fails() -> None:
    aws = ScriptedAccount(
        {
            "ec2": [
                ("describe_vpcs", Refusal("InvalidVpcID.NotFound")),
                ("describe_subnets", {"Subnets": []}),
                ("describe_vpc_endpoints", {"VpcEndpoints": ENDPOINTS}),
            ]
        }
    )

    first, *others = findings(NETWORKS, plan(), aws)
    assert (first.subject, first.outcome) == (VPC, Outcome.FAIL)
    assert [finding.subject for finding in others if finding.outcome is Outcome.FAIL] == [*SUBNETS]


def test_what_the_caller_may_not_read_hides_no_other_part() -> None:
    denied = Refusal("UnauthorizedOperation")
    aws = ScriptedAccount(
        {
            "ec2": [
                ("describe_vpcs", denied),
                ("describe_subnets", {"Subnets": [subnet(0), subnet(1)]}),
                ("describe_vpc_endpoints", denied),
            ]
        }
    )

    outcomes = {finding.subject: finding.outcome for finding in findings(NETWORKS, plan(), aws)}
    assert outcomes == {
        "VPC": Outcome.UNKNOWN,
        **dict.fromkeys((*SUBNETS, "addresses"), Outcome.PASS),
        "endpoints": Outcome.UNKNOWN,
    }


@pytest.mark.parametrize(
    ("second", "says"),
    [
        ([], "there is no such subnet in 111122223333, us-east-1"),
        ([subnet(1, vpc_id="vpc-1")], "it is in vpc-1, and not in vpc-0123456789abcdef0"),
    ],
)
def test_a_subnet_that_is_missing_or_elsewhere_fails(second: list[dict[str, Any]], says: str) -> None:
    finding = found([subnet(0), *second])[SUBNETS[1]]
    assert (finding.outcome, finding.says) == (Outcome.FAIL, says)


def test_an_endpoint_needs_subnets_in_two_zones() -> None:
    assert wrong(found([subnet(0), subnet(1, zone="us-east-1a")])) == {"zones": Outcome.FAIL}


@pytest.mark.parametrize(
    ("free", "stack", "outcome"),
    [
        (8, None, Outcome.PASS),
        (7, None, Outcome.WARN),
        (4, None, Outcome.WARN),
        (3, NO_STACK, Outcome.FAIL),
        # What runs already has its own.
        (3, A_STACK, Outcome.WARN),
        (0, None, Outcome.FAIL),
    ],
)
def test_addresses_are_free_for_all_instances(free: int, stack: Call | None, outcome: Outcome) -> None:
    first = free // 2
    finding = found([subnet(0, free=first), subnet(1, free=free - first)], stack=stack)["addresses"]
    assert finding.outcome is outcome


def test_a_subnet_without_addresses_is_named() -> None:
    assert wrong(found([subnet(0, free=0), subnet(1)])) == {SUBNETS[0]: Outcome.WARN}


@pytest.mark.parametrize(
    ("groups", "outcome"),
    [
        ([{"GroupId": GROUP, "VpcId": VPC}], Outcome.PASS),
        ([{"GroupId": GROUP, "VpcId": "vpc-1"}], Outcome.FAIL),
        ([], Outcome.FAIL),
    ],
)
def test_a_security_group_is_there_and_of_the_vpc(groups: list[dict[str, Any]], outcome: Outcome) -> None:
    of = plan(existing={"endpoint_security_group_id": GROUP})
    assert found(groups=groups, of=of)[GROUP].outcome is outcome


@pytest.mark.parametrize(
    ("endpoints", "outcomes"),
    [
        ([], {"s3": Outcome.WARN, "sagemaker.runtime": Outcome.WARN}),
        ([ENDPOINTS[0]], {"sagemaker.runtime": Outcome.WARN}),
        (
            [ENDPOINTS[0], vpc_endpoint("sagemaker.runtime", PrivateDnsEnabled=False)],
            {"sagemaker.runtime": Outcome.WARN},
        ),
        ([ENDPOINTS[0], vpc_endpoint("sagemaker.runtime-fips")], {"sagemaker.runtime": Outcome.WARN}),
        (
            [ENDPOINTS[0], vpc_endpoint("sagemaker.runtime", State="pending")],
            {"sagemaker.runtime": Outcome.WARN},
        ),
    ],
)
def test_endpoints_may_be_missing_where_there_is_another_way(
    endpoints: list[dict[str, Any]], outcomes: dict[str, Outcome]
) -> None:
    assert wrong(found(endpoints=endpoints)) == outcomes


def test_both_attributes_of_names_are_looked_at() -> None:
    without = found(dns=False)
    assert wrong(without) == {"enableDnsSupport": Outcome.WARN, "enableDnsHostnames": Outcome.WARN}
    assert without["enableDnsHostnames"].to_do == (
        f"aws ec2 modify-vpc-attribute --vpc-id {VPC} --enable-dns-hostnames --region us-east-1"
    )


def test_a_vpc_that_is_made_is_not_looked_for() -> None:
    made = build_plan(environment(), catalog(gpu_instance(), usd_per_hour={"ml.g9.xlarge": 1.0}))
    assert findings(NETWORKS, made, ScriptedAccount({})) == []
