"""Our own templates have no findings, and what the plan offers is what the catalog says."""

from collections.abc import Callable
from pathlib import Path

import pytest

from sizewell.checks import check_template
from sizewell.planning import load_plan
from sizewell.planning.offers import offered_types
from tests.synthesis import ENVIRONMENTS, PROJECT_ROOT, templates


@pytest.mark.cdk
@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_templates_have_no_findings(environment: str, assemblies: Callable[[str], Path]) -> None:
    region = load_plan(PROJECT_ROOT / "config", environment).region
    found = templates(assemblies(environment))
    assert found
    for stack, template in found.items():
        assert check_template(template, offered_types(region)) == (), stack


@pytest.mark.cdk
def test_scaling_and_training_are_looked_at(assemblies: Callable[[str], Path]) -> None:
    # An empty list of offers shows that the checks reach every instance type.
    plan = load_plan(PROJECT_ROOT / "config", "prod")
    nothing = offered_types(plan.region)
    nothing = type(nothing)(nothing.region, frozenset(), frozenset())
    found = templates(assemblies("prod"))
    for workload in plan.workloads:
        findings = check_template(found[workload.stack_name], nothing)
        messages = {finding.message.split(" ")[0] for finding in findings}
        attempts = getattr(workload, "attempts", ())
        expected = {attempt.instance_type for attempt in attempts} or {workload.instance_type}  # type: ignore[attr-defined]
        assert expected <= messages, workload.name


@pytest.mark.parametrize(
    ("region", "instance_type"), [("us-east-1", "ml.p3.2xlarge"), ("ap-east-2", "ml.p5.48xlarge")]
)
def test_an_enum_value_is_not_an_offer(region: str, instance_type: str) -> None:
    offered = offered_types(region)
    assert offered.region == region
    assert instance_type not in offered.hosting
    assert offered.hosting
