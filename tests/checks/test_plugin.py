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


def test_findings_stop_synth_with_a_report_unless_they_are_acknowledged_where_they_arise(
    tmp_path: Path,
) -> None:
    # One endpoint, and the faulty stack beside it.
    (tmp_path / "base.yaml").write_text(BASE.partition("  nightly-lora:\n")[0], "utf-8")
    (tmp_path / "dev.yaml").write_text("policy: {removal: destroy}\n", "utf-8")
    context = {"config": str(tmp_path)}
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
    found = {
        violation["ruleName"]: [one["cloudFormationResource"] for one in violation["violatingConstructs"]]
        for violation in plugin["violations"]
    }
    # The other alarm has the same faults, and acknowledges them.
    place = {"templatePath": "faulty.template.json", "logicalId": "Alarm"}
    assert found == {
        "alarm-threshold": [{**place, "propertyPaths": ["Properties.Threshold"]}],
        "alarm-dimensions": [{**place, "propertyPaths": ["Properties.Dimensions"]}],
    }
    assert not (tmp_path / "out" / "plan.json").exists()
