"""Every example synthesizes in every environment: rule packs, CDK's validation, cfn-lint and our checks find nothing."""

import subprocess
from pathlib import Path

import pytest

from tests.synthesis import PROJECT_ROOT, run_app

pytestmark = pytest.mark.cdk

EXAMPLES = PROJECT_ROOT / "examples"
CASES = [
    (example.name, environment)
    for example in sorted(EXAMPLES.iterdir())
    for environment in ("dev", "staging", "prod")
]


@pytest.mark.parametrize(("example", "environment"), CASES)
def test_example_synthesizes(example: str, environment: str, tmp_path: Path) -> None:
    config = str(EXAMPLES / example / "config")
    done = run_app(environment, tmp_path / "out", context={"config": config})
    assert done.returncode == 0, done.stdout + done.stderr
    templates = sorted(str(path) for path in (tmp_path / "out").glob("*.template.json"))
    assert len(templates) > 1, "a foundation and a workload at least"
    linted = subprocess.run(
        ["cfn-lint", "--regions", "us-east-1", "--", *templates], capture_output=True, text=True, check=False
    )
    assert linted.returncode == 0, linted.stdout
