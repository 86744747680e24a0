"""Logical ids of resources whose replacement loses data or breaks what others hold on to, release by release.

A custom resource keeps the function that it was made with: CloudFormation refuses to change a service token. And the
deletion of a scalable target under its old id would deregister the variant that the new one registered.

``stateful_ids.csv`` holds what releases make since the one in ``since``, some of it only with a key. A new resource is a
new row. A row that changes or goes deletes the resource in every environment that is deployed: that is a migration.
"""

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sizewell.kinds.training_job.plan_model import TrainingJobPlan
from sizewell.planning import load_plan
from tests.synthesis import ENVIRONMENTS, PROJECT_ROOT, templates

pytestmark = pytest.mark.cdk

with Path(__file__).with_name("stateful_ids.csv").open(encoding="utf-8", newline="") as _file:
    ROWS = tuple(csv.DictReader(_file))
TYPES = {row["type"] for row in ROWS}


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_every_stack_has_the_ids_that_were_released_and_no_other(
    environment: str, assemblies: Callable[[str], Path]
) -> None:
    for (kind, stack), ids in _stateful(assemblies(environment), environment).items():
        rows = [row for row in ROWS if row["stack"] == kind]
        released = {(row["logical_id"], row["type"]) for row in rows}
        always = {(row["logical_id"], row["type"]) for row in rows if not row["only_with"]}
        assert always <= ids.items() <= released, stack


def test_the_environment_with_everything_has_what_others_have_not(assemblies: Callable[[str], Path]) -> None:
    stacks = _stateful(assemblies("prod"), "prod")
    found = {(kind, logical_id) for (kind, _), ids in stacks.items() for logical_id in ids}
    assert found == {(row["stack"], row["logical_id"]) for row in ROWS}


def _stateful(assembly: Path, environment: str) -> dict[tuple[str, str], dict[str, str]]:
    """Return the stateful resources of each stack, by the kind and the name of the stack."""
    plan = load_plan(PROJECT_ROOT / "config", environment)
    kinds = {plan.foundation.stack_name: "foundation"}
    kinds |= {endpoint.stack_name: "real-time-endpoint" for endpoint in plan.endpoints}
    kinds |= {job.stack_name: "training-job" for job in plan.of(TrainingJobPlan)}
    found: dict[str, Any] = templates(assembly)
    return {
        (kinds[stack], stack): {
            logical_id: resource["Type"]
            for logical_id, resource in template["Resources"].items()
            if resource["Type"] in TYPES
        }
        for stack, template in found.items()
    }
