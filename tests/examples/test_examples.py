"""Every folder of examples/ is a platform that synthesizes clean in all its environments."""

import shlex
from pathlib import Path

import pytest

from sizewell.planning import load_plan
from tests.app.test_bill import differences, read
from tests.synthesis import ENVIRONMENTS, PROJECT_ROOT, run_app, templates

pytestmark = pytest.mark.cdk

EXAMPLES = sorted(path.name for path in (PROJECT_ROOT / "examples").iterdir() if (path / "config").is_dir())


@pytest.mark.parametrize("environment", ENVIRONMENTS)
@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_synthesizes_clean(example: str, environment: str, tmp_path: Path) -> None:
    """The rule packs, our checks and CDK's validation find nothing, else the process ends with 1; the bill is the review's."""
    done = run_app(environment, tmp_path / "out", context={"config": f"examples/{example}/config"})

    assert done.returncode == 0, shlex.join(done.args) + done.stdout + done.stderr
    plan = load_plan(PROJECT_ROOT / "examples" / example / "config", environment)
    assert templates(tmp_path / "out").keys() == {
        plan.foundation.stack_name,
        *(workload.stack_name for workload in plan.workloads),
    }
    assert differences(plan.bill, read(tmp_path / "out", environment)) == []
    # A folder has the name of the kind that it shows; a pipeline is a key of a kind.
    shown = {workload.kind for workload in plan.workloads}
    assert example in shown | {"inference-pipeline" for endpoint in plan.endpoints if endpoint.pipeline}
