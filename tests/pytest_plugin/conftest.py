import os
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess, run

import pytest

#: Writes what ``cdk synth`` writes, without CDK; notes each run, and fails where the configuration says so.
APP = """
import json, os
from pathlib import Path

context = json.loads(os.environ["CDK_CONTEXT_JSON"])
name = context["env"]
text = Path(context.get("config", "config"), f"{name}.yaml").read_text()
with open("runs.txt", "a") as runs:
    runs.write(f"{name} {context.get('flag')} {context.get('lookup')}\\n")
if "fault" in text:
    raise SystemExit("config/" + name + ".yaml:1: a fault that the user can mend")
output = Path(os.environ["CDK_OUTDIR"])
output.mkdir(parents=True)
asset = "0a1b" * 16
resources = {
    "Queue": {
        "Type": "AWS::SQS::Queue",
        "Properties": {"VisibilityTimeout": 30, "QueueName": {"Fn::Join": ["-", ["q", {"Ref": "AWS::Region"}]]}},
        "Metadata": {"aws:cdk:path": "app/Queue", "owner": "ml"},
    },
    "Function": {"Type": "AWS::Lambda::Function", "Properties": {"Code": {"S3Key": asset + ".zip"}}},
    "CDKMetadata": {"Type": "AWS::CDK::Metadata", "Properties": {"Analytics": "v2"}},
}
template = {
    "Resources": resources,
    "Parameters": {"BootstrapVersion": {"Type": "String"}},
    "Rules": {"CheckBootstrapVersion": {}},
}
(output / "s.template.json").write_text(json.dumps(template))
source = {"path": "s.template.json"}
(output / "s.assets.json").write_text(json.dumps({"files": {asset: {"source": {"path": "code"}}}}))
stack = {
    "type": "aws:cloudformation:stack",
    "environment": "aws://111122223333/eu-west-1",
    "properties": {"templateFile": "s.template.json", "stackName": "app-" + name},
}
(output / "manifest.json").write_text(json.dumps({"artifacts": {"s": stack}}))
"""

Pytest = Callable[..., CompletedProcess[str]]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a small project whose app needs no CDK."""
    (tmp_path / "app.py").write_text(APP, "utf-8")
    (tmp_path / "cdk.json").write_text('{"app": "python app.py", "context": {"flag": true}}', "utf-8")
    (tmp_path / "cdk.context.json").write_text('{"lookup": "vpc-1", "flag": false}', "utf-8")
    (tmp_path / "config").mkdir()
    for name in ("base", "dev", "prod"):
        (tmp_path / "config" / f"{name}.yaml").write_text("", "utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\n", "utf-8")
    return tmp_path


@pytest.fixture
def run_pytest(project: Path, project_root: Path) -> Pytest:
    """Return a function that runs pytest in the project with our plugin and no other, on the test that is given."""

    def run_it(test: str, *arguments: str, directory: Path = project) -> CompletedProcess[str]:
        (directory / "test_it.py").write_text(test, "utf-8")
        return run(
            [
                sys.executable,
                "-m",
                "pytest",
                "-q",
                "-p",
                "sizewell.pytest_plugin.plugin",
                "-p",
                "no:cacheprovider",
                *arguments,
            ],
            cwd=directory,
            env={
                **_own_environment(),
                "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
                "PYTHONPATH": str(project_root),
            },
            capture_output=True,
            text=True,
            check=False,
        )

    return run_it


def _own_environment() -> dict[str, str]:
    """Return the environment without what tells a process that it is a worker of our own tests."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_XDIST")}
