"""Every folder of examples/ is a platform that synthesizes clean in all its environments."""

import json
import shlex
from pathlib import Path

import pytest

from tests.synthesis import ENVIRONMENTS, PROJECT_ROOT, run_app, templates

pytestmark = pytest.mark.cdk

EXAMPLES = sorted(path.name for path in (PROJECT_ROOT / "examples").iterdir() if (path / "config").is_dir())


@pytest.mark.parametrize("environment", ENVIRONMENTS)
@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_synthesizes_clean(example: str, environment: str, tmp_path: Path) -> None:
    """The rule packs, our checks and CDK's validation find nothing: else the process ends with 1."""
    done = run_app(environment, tmp_path / "out", context={"config": f"examples/{example}/config"})

    assert done.returncode == 0, shlex.join(done.args) + done.stdout + done.stderr
    plan = json.loads((tmp_path / "out" / "plan.json").read_text("utf-8"))
    stacks = templates(tmp_path / "out")
    assert stacks.keys() == {
        plan["foundation"]["stack_name"],
        *(workload["stack_name"] for workload in plan["workloads"]),
    }
    # A folder has the name of the kind that it shows.
    assert example in {workload["kind"] for workload in plan["workloads"]}
    resources = {one["Type"] for stack in stacks.values() for one in stack["Resources"].values()}
    assert "AWS::IAM::Role" in resources
