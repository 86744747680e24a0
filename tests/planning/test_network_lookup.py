"""A network that is found by its tags: the answer of the CDK CLI, and what is wrong with it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sizewell.config import ConfigError
from sizewell.planning import PlanError, load_plan, plan_to_json
from sizewell.planning.build import build_plan
from sizewell.planning.load import LookupNeededError
from sizewell.planning.network_lookup import NotLookedUpError, network_lookup
from tests.planning.builders import endpoint, environment, policy, training_job
from tests.planning.test_build_plan import PRICED

LOOKUP = {"mode": "lookup", "vpc_tags": {"Name": "ml"}, "subnet_tag": {"tier": "ml"}}
KEY = (
    "vpc-provider:account=111122223333:filter.tag:Name=ml:region=us-east-1:returnAsymmetricSubnets=true"
    ":returnVpnGateways=false:subnetGroupNameTag=tier"
)
VPC = "vpc-0123abcd"
Plan = Callable[..., Any]


def group(name: str, *zones: str, kind: str = "Private") -> dict[str, Any]:
    """Return a group of subnets as the provider answers it, one for each zone: a letter."""
    subnets = [
        {
            "subnetId": f"subnet-0{name}{number}{zone}",
            "availabilityZone": f"us-east-1{zone}",
            "cidr": "10.0.0.0/24",
            "routeTableId": "rtb-0",
        }
        for number, zone in enumerate(zones)
    ]
    return {"name": name, "type": kind, "subnets": subnets}


def answer(*groups: dict[str, Any]) -> dict[str, Any]:
    return {
        KEY: {"vpcId": VPC, "vpcCidrBlock": "10.0.0.0/16", "availabilityZones": [], "subnetGroups": [*groups]}
    }


def plan(context: dict[str, Any], **changes: Any) -> Any:
    return build_plan(environment(**{"network": LOOKUP, **changes}), PRICED, context=context)


def fault(context: dict[str, Any], **changes: Any) -> tuple[str, str]:
    """Return the key and the reason of the one fault."""
    with pytest.raises(PlanError) as raised:
        plan(context, **changes)
    assert not isinstance(raised.value, NotLookedUpError)
    (found,) = raised.value.faults
    assert found.hint is not None
    return ".".join(found.key_path), found.reason


def test_found_subnets_are_planned_as_those_that_are_named() -> None:
    # Private and isolated subnets are both private to SageMaker; zones decide about their order.
    context = answer(group("web", "a", "b"), group("ml", "c", "a"), group("ml", "b", kind="Isolated"))
    subnet_ids = ("subnet-0ml1a", "subnet-0ml0b", "subnet-0ml0c")
    named = {"mode": "existing", "vpc_id": VPC, "subnet_ids": subnet_ids}
    found = plan(context).foundation.network
    assert found.model_dump(include=set(named)) == named
    assert found.interface_endpoints


def test_public_subnets_are_never_taken() -> None:
    context = answer(group("ml", "a", "b"), group("ml", "a", "b", "c", kind="Public"))
    assert len(plan(context).foundation.network.subnet_ids) == 2


@pytest.mark.parametrize(
    ("groups", "changes", "reason"),
    [
        (
            (group("web", "a", "b"), group("db", "a", kind="Isolated"), group("ml", "a", kind="Public")),
            {},
            f"no private subnet of {VPC} carries tier: ml; it has db (1 isolated), ml (1 public), web (2 private)",
        ),
        ((), {}, f"no private subnet of {VPC} carries tier: ml; it has no subnet"),
        (
            (group("ml", "a", "a", "b"),),
            {},
            f"3 private subnets of {VPC} carry the tag, in 2 availability zone(s), but each stands for a zone of its own: "
            "subnet-0ml0a in us-east-1a, subnet-0ml1a in us-east-1a, subnet-0ml2b in us-east-1b",
        ),
        (
            (group("ml", "a", "b"),),
            {"policy": policy(min_availability_zones=3)},
            f"2 availability zone(s), but policy.min_availability_zones asks for 3 (found in {VPC}: subnet-0ml0a in us-east-1a, "
            "subnet-0ml1b in us-east-1b)",
        ),
        (
            (group("ml", "a"),),
            {},
            "a subnet in 1 availability zone, but SageMaker asks for subnets in 2 at least where there is an endpoint (plants), "
            f"even with one instance: tag a subnet in another zone as well (found in {VPC}: subnet-0ml0a in us-east-1a)",
        ),
    ],
)
def test_subnets_that_do_not_do_are_a_fault(
    groups: tuple[dict[str, Any], ...], changes: dict[str, Any], reason: str
) -> None:
    assert fault(answer(*groups), **changes) == ("network.subnet_tag", reason)


def test_one_zone_is_enough_for_training() -> None:
    assert plan(answer(group("ml", "a")), workloads={"train": training_job()})


def test_what_the_cli_could_not_find_is_a_fault() -> None:
    error = {KEY: {"$providerError": "Found 2 VPCs matching tag:Name", "$dontSaveContext": True}}
    reason = "the network could not be looked up: Found 2 VPCs matching tag:Name"
    assert fault(error) == ("network.vpc_tags", reason)


@pytest.mark.parametrize(
    "value", [{"vpcId": VPC}, "vpc-0123abcd", answer(group("ml", "a", kind="Other"))[KEY]]
)
def test_an_answer_of_another_form_is_a_fault(value: object) -> None:
    assert fault({KEY: value}) == (
        "network.vpc_tags",
        "cdk.context.json has an answer for these tags that is none of a VPC",
    )


def test_without_an_answer_the_question_is_known() -> None:
    with pytest.raises(NotLookedUpError) as raised:
        plan(answer(group("ml", "a", "b")), network={**LOOKUP, "vpc_tags": {"Name": "other"}})
    lookup = raised.value.lookup
    assert (lookup.provider, lookup.props["filter"]) == ("vpc-provider", {"tag:Name": "other"})
    assert lookup.key == KEY.replace("=ml", "=other")


def test_other_faults_come_with_it_and_then_nothing_is_looked_up() -> None:
    impossible = endpoint(latency={"max_p95_ms": 0.001})
    with pytest.raises(PlanError) as raised:
        plan({}, workloads={"plants": impossible})
    assert not isinstance(raised.value, NotLookedUpError)
    assert {found.key_path[0] for found in raised.value.faults} == {"workloads", "network"}


BASE = """\
platform: demo
policy: {account: "111122223333", region: us-east-1}
network:
  mode: lookup
  vpc_tags: {Name: ml}
  subnet_tag: {tier: ml}
workloads:
  train:
    kind: training-job
    model: {architecture: linear, features: 50}
    container: {images: {cpu_x86_64: {account: "683313688378", repository: sklearn, tag: 1.2-1-cpu-py3}}}
    dataset: {prefix: data/, size_gib: 1, examples: 10000}
    deadline_hours: 4
"""


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    directory = Path("config")
    directory.mkdir()
    (directory / "base.yaml").write_text(BASE, "utf-8")
    (directory / "dev.yaml").write_text("{}\n", "utf-8")
    return directory


def test_plan_reads_the_file_of_the_directory_that_it_runs_in(directory: Path) -> None:
    with pytest.raises(LookupNeededError) as raised:
        load_plan(directory, "dev")
    assert raised.value.render() == (
        "config/base.yaml:5  network.vpc_tags\n"
        "  the network has not been looked up: cdk.context.json has no answer for these tags in account 111122223333, "
        "us-east-1\n"
        "  run cdk synth -c env=dev with credentials of the account, and commit cdk.context.json"
    )
    Path("cdk.context.json").write_text(json.dumps(answer(group("ml", "a"))), "utf-8")
    assert json.loads(plan_to_json(load_plan(directory, "dev")))["foundation"]["network"]["vpc_id"] == VPC


@pytest.mark.parametrize(("text", "reason"), [("{", "cannot be read: "), ("[]", "it is no JSON object")])
def test_a_broken_file_is_a_fault(text: str, reason: str, directory: Path) -> None:
    Path("cdk.context.json").write_text(text, "utf-8")
    with pytest.raises(ConfigError) as raised:
        load_plan(directory, "dev")
    assert raised.value.render().startswith("cdk.context.json\n")
    assert reason in raised.value.render()


@pytest.mark.cdk
def test_the_key_is_that_of_cdk() -> None:
    from aws_cdk import App, ContextProvider, Environment, Stack

    from constructs_lib.jsii_runtime import use_bundled_node

    use_bundled_node()
    vpc_tags = {
        "Name": "a: b",
        "aws:cloudformation:stack-name": "net=1",
        "Zone": "x@y",
        "a": "Z/1",
        "Z": "_.",
    }
    asked = environment(network={"mode": "lookup", "vpc_tags": vpc_tags, "subnet_tag": {"ti:er": "ml"}})
    lookup = network_lookup(asked, asked.network)  # type: ignore[arg-type]
    stack = Stack(
        App(analytics_reporting=False), "S", env=Environment(account=lookup.account, region=lookup.region)
    )
    assert lookup.key == ContextProvider.get_key(stack, provider="vpc-provider", props=lookup.props).key
