"""The templates of prod in full, and what distinguishes those of the other environments from them.

A difference is for a reviewer to read; ``make snapshots`` accepts it.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.json import JSONSnapshotExtension
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from sizewell.kinds.training_job.plan_model import TrainingJobPlan
from sizewell.planning import load_plan
from sizewell.planning.plan import DeploymentPlan
from sizewell.pytest_plugin.project import Project
from tests.snapshots.environment_difference import Templates, describe_difference, restore
from tests.synthesis import ENVIRONMENTS, PROJECT_ROOT

pytestmark = pytest.mark.cdk

IN_FULL = "prod"
AS_DIFFERENCE = tuple(name for name in ENVIRONMENTS if name != IN_FULL)


class TextSnapshotExtension(SingleFileSnapshotExtension):
    """One text file for each snapshot."""

    _write_mode = WriteMode.TEXT
    file_extension = "txt"


@pytest.fixture(scope="session")
def sizewell_assembly(assemblies: Callable[[str], Path]) -> Callable[[str], Path]:
    """Return what the other tests have synthesized: nothing is synthesized twice."""
    return assemblies


def _plan(environment: str) -> DeploymentPlan:
    return load_plan(PROJECT_ROOT / "config", environment)


def _stacks(environment: str) -> list[str]:
    plan = _plan(environment)
    return [plan.foundation.stack_name, *(workload.stack_name for workload in plan.workloads)]


@pytest.mark.parametrize("stack", _stacks(IN_FULL))
def test_template(stack: str, sizewell: Project, snapshot: SnapshotAssertion) -> None:
    assert sizewell.stack(IN_FULL, stack) == snapshot(extension_class=JSONSnapshotExtension)


@pytest.mark.parametrize("environment", AS_DIFFERENCE)
def test_difference(environment: str, sizewell: Project, snapshot: SnapshotAssertion) -> None:
    ours, theirs = _plan(environment), _plan(IN_FULL)
    words = {theirs.environment: ours.environment, theirs.account: ours.account}
    templates, like = sizewell.synthesize(environment), sizewell.synthesize(IN_FULL)
    difference = describe_difference(templates, like, words)
    assert restore(difference, like) == templates
    assert difference == snapshot(extension_class=TextSnapshotExtension)


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_no_stack_is_without_a_snapshot(environment: str, sizewell: Project) -> None:
    assert set(sizewell.synthesize(environment)) == set(_stacks(environment))


def test_the_plan_of_the_fixture_is_that_of_the_configuration(sizewell: Project) -> None:
    plan, found = _plan("dev"), sizewell.plan("dev")
    assert {name: found[name]["instance_type"] for name in found if "instance_type" in found[name]} == {
        one.name: one.instance_type for one in plan.endpoints
    }
    for job in plan.of(TrainingJobPlan):
        types = [attempt["instance_type"] for attempt in found[job.name]["attempts"]]
        assert types == [attempt.instance_type for attempt in job.attempts]


@pytest.mark.parametrize("environment", AS_DIFFERENCE)
def test_what_reads_the_snapshots_in_full_misses_no_property(environment: str, sizewell: Project) -> None:
    assert _properties(sizewell.synthesize(environment)) <= _properties(sizewell.synthesize(IN_FULL))


def _properties(templates: Templates) -> set[tuple[str, str]]:
    def each() -> Iterator[tuple[str, str]]:
        for template in templates.values():
            for resource in template["Resources"].values():
                yield from ((resource["Type"], name) for name in ("", *resource.get("Properties", {})))

    return set(each())
