"""Every example synthesizes clean in all its environments: nag packs, CDK's validation and our own checks."""

import json
from pathlib import Path

import pytest

from tests.synthesis import ENVIRONMENTS, PROJECT_ROOT, run_app, templates

EXAMPLES = sorted(path.parent for path in (PROJECT_ROOT / "examples").glob("*/config"))


@pytest.mark.cdk
@pytest.mark.parametrize("environment", ENVIRONMENTS)
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_example_synthesizes(example: Path, environment: str, tmp_path: Path) -> None:
    run = run_app(environment, tmp_path / "out", context={"config": str(example / "config")})
    assert run.returncode == 0, run.stderr
    plan = json.loads((tmp_path / "out" / "plan.json").read_text("utf-8"))
    stacks = {plan["foundation"]["stack_name"], *(workload["stack_name"] for workload in plan["workloads"])}
    assert templates(tmp_path / "out").keys() == stacks
    assert example.name in {workload["kind"] for workload in plan["workloads"]}
