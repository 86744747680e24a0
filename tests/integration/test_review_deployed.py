"""Given a deployed environment, when a change is reviewed against it, then the review says what a deployment changes now."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.integration.harness import Deployment, Template, resources_of
from tests.localcloud.processes import PATIENCE_S
from tests.synthesis import PROJECT_ROOT

GATE_EXIT_CODE = 1


def review(deployment: Deployment, head: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = (sys.executable, "-m", "sizewell.cli.main", "review", "--base", "deployed", "--head", str(head))
    return subprocess.run(
        [*command, "--json", "-", *arguments],
        cwd=PROJECT_ROOT,
        env=deployment.environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )


def test_what_is_deployed_is_no_change(deployed: Deployment) -> None:
    result = review(deployed, deployed.assembly, "--fail-on", "not-safe,cost-increase>0%,no-base")
    assert result.returncode == 0, result.stderr + result.stdout
    reviewed = json.loads(result.stdout)
    assert reviewed["verdict"]["level"] == "no change"
    assert reviewed["base"]["stack_count"] == reviewed["head"]["stack_count"] == len(deployed.stack_names)
    assert [note["severity"] for note in reviewed["notes"]] == ["notice"]


@pytest.mark.parametrize("deployed", ["dev"], indirect=True)
def test_a_change_is_what_a_deployment_changes_now(deployed: Deployment) -> None:
    stack = deployed.plan.endpoints[0].stack_name

    def without_alarms(template: Template) -> None:
        for logical_id, _ in list(resources_of(template, "AWS::CloudWatch::Alarm")):
            del template["Resources"][logical_id]

    head = deployed.edited(stack, without_alarms, name="without-alarms")
    result = review(deployed, head, "--fail-on", "hazard:alarm-removed")
    assert result.returncode == GATE_EXIT_CODE, result.stderr
    reviewed: dict[str, Any] = json.loads(result.stdout)
    alarms = {
        logical_id for logical_id, _ in resources_of(deployed.template(stack), "AWS::CloudWatch::Alarm")
    }
    changes = reviewed["resources"]["changes"]
    assert {(one["stack"], one["logical_id"]) for one in changes if one["action"] == "removed"} >= {
        (stack, logical_id) for logical_id in alarms
    }
    assert {one["stack"] for one in changes} == {stack}
    assert reviewed["selection"] == reviewed["config"] == []
