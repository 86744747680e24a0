"""The bill of a plan and the bill that a review makes of its templates are the same, line by line."""

import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sizewell.planning import load_plan
from sizewell.planning.bill_plan import Bill, BillLine
from sizewell.review.comparison import EnvironmentPair
from sizewell.review.cost import compare_costs
from sizewell.review.model import CostSide
from sizewell.review.saved.output import Assembly
from sizewell.review.saved.reading import OutputReader
from tests.review.builders import resource
from tests.synthesis import ENVIRONMENTS, PROJECT_ROOT, synthesize

pytestmark = pytest.mark.cdk

Assemblies = Callable[[str], Path]
CENT = 0.005
#: What the environments of the project do not have: a VPC that exists, a fixed fleet, bounds by the clock, an alarm that is
#: off, jobs on demand and a Savings Plan; in the
#: first region volumes of training jobs have a price, in the second one alarms have none.
ELSEWHERE = """
policy: {{account: "111122223333", region: {region}, savings_plan: {{discount_percent: 20}}, allow_spot: false}}
network: {{mode: existing, cidr: null, availability_zones: null, vpc_id: vpc-0123456789abcdef0, subnet_ids: {subnets}}}
workloads:
  support-bert: {{scaling: {{min_instances: 2, max_instances: 2}}}}
  plant-id:
    alarms: {{disk_utilization: {{off_because: "nobody acts on it"}}}}
    scaling: {{schedules: {{days: {{at: "06:35", min_instances: 4}}, nights: {{at: "20:00", max_instances: 3}}}}}}
  assistant: null
  plant-id-train: {{spot: null, checkpoint: null}}
  assistant-tune: null
"""
SUBNETS = "[subnet-0123456789abcdef0, subnet-0123456789abcdef1]"


def differences(bill: Bill, assembly: Assembly) -> list[str]:
    """Say where a review of the templates, at average load, comes to something else than the plan."""
    cost = compare_costs(EnvironmentPair(assembly.environment, None, assembly))
    reviewed = {one.workload: one.head for one in cost.workloads if one.head}
    lines = {line.workload: line for line in bill.lines}
    found = [f"not priced: {name}" for name in cost.not_priced]
    found += [f"only one bill has {name}" for name in sorted(lines.keys() ^ reviewed.keys())]
    for name in sorted(lines.keys() & reviewed.keys()):
        found += [f"{name}: {words}" for words in _of_line(lines[name], reviewed[name])]
    total = cost.head.expected if cost.head else None
    assert bill.usd_per_month is not None
    if total is None or abs(total - bill.usd_per_month) > CENT:
        found.append(f"total: {bill.usd_per_month:.2f} in the plan, {total} in the review")
    return found


def _of_line(line: BillLine, side: CostSide) -> Iterator[str]:
    # Variants of an endpoint may have the same type: its instances then stand in either bill twice.
    planned = _sums((f"{item.service} {item.name}", item.usd_per_month) for item in line.items)
    by_use = {f"{one.service} {one.name}" for one in side.components if one.basis == "usage"}
    priced = _sums(
        (f"{one.service} {one.name}", one.usd_per_month.expected)
        for one in side.components
        if one.basis != "usage"
    )
    for name in sorted(by_use ^ set(line.paid_by_use)):
        yield f"{name} is paid by use in one bill only"
    for name in sorted(planned.keys() | priced.keys()):
        ours, theirs = planned.get(name, "nothing"), priced.get(name, "nothing")
        close = isinstance(ours, float) and isinstance(theirs, float) and abs(ours - theirs) <= CENT
        if not close and ours != theirs:
            yield f"{name}: {ours} in the plan, {theirs} in the review"


def _sums(amounts: Iterable[tuple[str, float | None]]) -> dict[str, float | None]:
    found: dict[str, float | None] = {}
    for name, usd in amounts:
        before = found.get(name, 0.0)
        found[name] = None if usd is None or before is None else before + usd
    return found


def read(directory: Path, environment: str) -> Assembly:
    return OutputReader().read_assembly(directory, environment)


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_the_plan_and_the_review_of_its_templates_have_one_bill(
    environment: str, assemblies: Assemblies
) -> None:
    bill = load_plan(PROJECT_ROOT / "config", environment).bill
    assert differences(bill, read(assemblies(environment), environment)) == []


@pytest.mark.parametrize("region", ["eu-west-1", "eu-central-1"])
def test_they_have_one_bill_whatever_is_configured(region: str, tmp_path: Path) -> None:
    config = shutil.copytree(PROJECT_ROOT / "config", tmp_path / "config")
    (config / "selection.lock.yaml").unlink()
    (config / "dev.yaml").write_text(ELSEWHERE.format(region=region, subnets=SUBNETS), "utf-8")
    synthesize("dev", tmp_path / "out", config=str(config))
    bill = load_plan(config, "dev").bill
    amounts = {(item.service, item.name): item.usd_per_month for line in bill.lines for item in line.items}
    assert (amounts["CloudWatch", "alarm"] is None) == (region == "eu-central-1")
    assert (amounts["SageMaker", "training volumes"] is None) == (region == "eu-central-1")
    assert differences(bill, read(tmp_path / "out", "dev")) == []


@pytest.mark.parametrize(
    ("added", "expected"),
    [
        (
            resource("AWS::KMS::Key"),
            "foundation: KMS customer-managed key: 2.0 in the plan, 3.0 in the review",
        ),
        (
            resource("AWS::EC2::NatGateway"),
            "foundation: VPC NAT gateway: nothing in the plan, 32.85 in the review",
        ),
        (
            resource("AWS::Events::Rule", {"EventBusName": "ours"}),
            "foundation: EventBridge custom events is paid by use in one bill only",
        ),
        (resource("AWS::RDS::DBInstance"), "not priced: AWS::RDS::DBInstance"),
    ],
)
def test_a_resource_that_the_plan_does_not_know_is_a_difference(
    added: dict[str, Any], expected: str, assemblies: Assemblies
) -> None:
    assembly = read(assemblies("dev"), "dev")
    assert assembly.plan is not None
    name = assembly.plan.foundation.stack_name
    template = assembly.stacks[name].template
    more = replace(
        assembly.stacks[name],
        template={**template, "Resources": {**template["Resources"], "Added": added}},
    )
    bill = load_plan(PROJECT_ROOT / "config", "dev").bill
    assert expected in differences(bill, replace(assembly, stacks={**assembly.stacks, name: more}))
