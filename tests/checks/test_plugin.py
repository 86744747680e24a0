"""The checks stop synth as a validation plugin, with a report and without a stack trace."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import BASE
from tests.synthesis import run_app

pytestmark = pytest.mark.cdk

#: CDK prints no report when it believes to be in a test, and tells so by these.
NO_TEST = {"PYTEST_CURRENT_TEST": "", "PYTEST_VERSION": ""}
#: What our process says last; what the CDK kernel said before may arrive after it, for both share a stream.
STOPPED = "synth stopped: mend the findings, or acknowledge them where they arise, with a reason"
PROGRAM = "tests/checks/faulty_app.py"


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the context of a configuration with one endpoint: the faulty stack stands beside it."""
    directory = tmp_path_factory.mktemp("config")
    (directory / "base.yaml").write_text(BASE.partition("  nightly-lora:\n")[0], "utf-8")
    (directory / "dev.yaml").write_text("policy: {removal: destroy}\n", "utf-8")
    return {"config": str(directory)}


def test_findings_stop_synth_with_a_report(tmp_path: Path, context: dict[str, str]) -> None:
    result = run_app("dev", tmp_path / "out", program=(PROGRAM,), variables=NO_TEST, context=context)
    assert result.returncode == 1
    assert "Traceback" not in result.stderr
    assert result.stderr.count(STOPPED) == 1
    kernel = result.stderr.replace(STOPPED, "\n").splitlines()
    ours = [line.strip() for line in kernel if line.strip() and "AwsSolutions" not in line]
    start = ours.index(
        "ERROR Properties.Threshold: the alarm has no Threshold, so it compares with nothing (Sizewell)"
    )
    assert ours[start + 1].startswith("faulty/Alarm (Alarm)")
    assert ours[start + 2 : start + 4] == [
        "Suggested fix: give Threshold, in the unit of the metric",
        "Acknowledge with 'Sizewell::alarm-threshold'",
    ]
    assert (
        "Properties.Dimensions: Invocations has the dimensions EndpointName and VariantName" in result.stderr
    )
    report = json.loads((tmp_path / "out" / "validation-report.json").read_text("utf-8"))
    (plugin,) = (one for one in report["pluginReports"] if one["pluginName"] == "Sizewell")
    violations = {violation["ruleName"]: violation for violation in plugin["violations"]}
    assert violations.keys() == {"alarm-threshold", "alarm-dimensions"}
    assert violations["alarm-threshold"]["violatingConstructs"][0]["cloudFormationResource"] == {
        "templatePath": "faulty.template.json",
        "logicalId": "Alarm",
        "propertyPaths": ["Properties.Threshold"],
    }
    assert not (tmp_path / "out" / "plan.json").exists()


def test_finding_can_be_acknowledged_where_it_arises(tmp_path: Path, context: dict[str, str]) -> None:
    program = (PROGRAM, "Sizewell::alarm-threshold", "Sizewell::alarm-dimensions")
    result = run_app("dev", tmp_path / "out", program=program, variables=NO_TEST, context=context)
    assert (result.returncode, result.stderr) == (0, "")
