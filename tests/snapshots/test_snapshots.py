"""The templates and plans of every environment, as the plugin for users gives them.

A difference is for a reviewer to read; ``make snapshots`` accepts it.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.json import JSONSnapshotExtension

from sizewell.planning import load_plan
from sizewell.pytest_plugin.project import Project
from tests.synthesis import ENVIRONMENTS, PROJECT_ROOT

pytestmark = pytest.mark.cdk


@pytest.fixture(scope="session")
def sizewell_assembly(assemblies: Callable[[str], Path]) -> Callable[[str], Path]:
    """Return what the other tests have synthesized: nothing is synthesized twice."""
    return assemblies


def _stacks() -> list[Any]:
    found = []
    for environment in ENVIRONMENTS:
        plan = load_plan(PROJECT_ROOT / "config", environment)
        for stack in (plan.foundation.stack_name, *(workload.stack_name for workload in plan.workloads)):
            found.append(pytest.param(environment, stack, id=stack))
    return found


@pytest.mark.parametrize(("environment", "stack"), _stacks())
def test_template(environment: str, stack: str, sizewell: Project, snapshot: SnapshotAssertion) -> None:
    assert sizewell.stack(environment, stack) == snapshot(extension_class=JSONSnapshotExtension)


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_no_stack_is_without_a_snapshot(environment: str, sizewell: Project) -> None:
    stacks = {
        stack
        for param_environment, stack in (p.values for p in _stacks())
        if param_environment == environment
    }
    assert set(sizewell.synthesize(environment)) == stacks
