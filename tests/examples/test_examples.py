"""Every folder of examples/ is a platform that synthesizes clean in all its environments."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.json import JSONSnapshotExtension

from sizewell.planning import load_plan
from tests.app.test_bill import differences, read
from tests.synthesis import ENVIRONMENTS, PROJECT_ROOT, synthesize, templates
from tools.site_gallery import shown_environment

pytestmark = pytest.mark.cdk

EXAMPLES = sorted(path.name for path in (PROJECT_ROOT / "examples").iterdir() if (path / "config").is_dir())


@pytest.mark.parametrize("environment", ENVIRONMENTS)
@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_synthesizes_clean(
    example: str, environment: str, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    """The rule packs, our checks and CDK's validation find nothing, else synth exits; the bill is the review's.

    The gallery of the site shows the numbers of resources, and does not synthesize.
    """
    synthesize(environment, tmp_path / "out", config=f"examples/{example}/config")
    if environment == shown_environment(example):
        counts = {name: _resource_counts(template) for name, template in templates(tmp_path / "out").items()}
        assert counts == snapshot(extension_class=JSONSnapshotExtension)

    plan = load_plan(PROJECT_ROOT / "examples" / example / "config", environment)
    assert templates(tmp_path / "out").keys() == {
        plan.foundation.stack_name,
        *(workload.stack_name for workload in plan.workloads),
    }
    assert differences(plan.bill, read(tmp_path / "out", environment)) == []
    # A folder has the name of the kind that it shows, the gallery shows many; a pipeline is a key of a kind.
    shown = {"gallery", *(workload.kind for workload in plan.workloads)}
    assert example in shown | {"inference-pipeline" for endpoint in plan.endpoints if endpoint.pipeline} or (
        # A notebook is there for development alone.
        example == "notebook" and environment != "dev"
    )


def _resource_counts(template: dict[str, Any]) -> dict[str, int]:
    return dict(Counter(resource["Type"] for resource in template["Resources"].values()))
