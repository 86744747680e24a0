"""Given a deployed environment, when it is verified, then nothing is found; and what somebody changes by hand is found.

What runs, and what it logs, is shown.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.integration.harness import Deployment, Template, resources_of
from tests.localcloud.processes import PATIENCE_S
from tests.synthesis import PROJECT_ROOT


def sizewell(
    deployment: Deployment, *arguments: str, directory: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command for the environment where cdk.out is, or in another directory."""
    result = subprocess.run(
        [
            *(sys.executable, "-m", "sizewell.cli.main", *arguments),
            *("--env", deployment.plan.environment, "--config", str(PROJECT_ROOT / "config")),
        ],
        cwd=directory or deployment.folder,
        env={**deployment.environment, "PYTHONPATH": f"{PROJECT_ROOT}:{PROJECT_ROOT / 'tools/localcloud'}"},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert result.stdout, result.stderr
    return result


def verify(deployment: Deployment, directory: Path | None = None) -> tuple[int, list[dict[str, str]]]:
    """Return the exit code and what did not pass."""
    result = sizewell(deployment, "verify", "--json", directory=directory)
    found = json.loads(result.stdout)["findings"]
    return result.returncode, [finding for finding in found if finding["outcome"] != "pass"]


def failures(deployment: Deployment) -> list[tuple[str, str, str]]:
    """Return check, subject and words of what fails, which makes the exit code 1."""
    code, found = verify(deployment)
    failed = [
        (finding["check"], finding["subject"], finding["says"])
        for finding in found
        if finding["outcome"] == "fail"
    ]
    assert code == int(bool(failed))
    return failed


def test_what_was_deployed_is_what_was_planned(deployed: Deployment) -> None:
    code, found = verify(deployed)

    assert code == 0
    # Nobody has sent a request, and the shipped configuration names nobody who hears of alarms.
    assert {(finding["check"], finding["outcome"]) for finding in found} == {
        ("alarms", "warn"),
        ("subscriptions", "warn"),
    }
    assert all("no data yet" in finding["says"] for finding in found if finding["check"] == "alarms")


@pytest.mark.parametrize("deployed", ["dev"], indirect=True)
def test_a_target_that_is_suspended_and_one_that_is_gone_are_found(deployed: Deployment) -> None:
    endpoint = next(one for one in deployed.plan.endpoints if one.scaling)
    resource_id = f"endpoint/{endpoint.endpoint_name}/variant/{endpoint.variant_name}"
    client = deployed.client("application-autoscaling")
    key = {
        "ServiceNamespace": "sagemaker",
        "ResourceId": resource_id,
        "ScalableDimension": "sagemaker:variant:DesiredInstanceCount",
    }

    client.register_scalable_target(**key, SuspendedState={"DynamicScalingOutSuspended": True})
    assert failures(deployed) == [("scaling", resource_id, "suspended: scaling out")]
    client.register_scalable_target(**key, SuspendedState={"DynamicScalingOutSuspended": False})

    client.deregister_scalable_target(**key)
    assert ("scaling", resource_id, "no scalable target is registered: it does not scale") in failures(
        deployed
    )
    stack = endpoint.stack_name
    for state in ("off", "on"):
        deployed.cdk(
            "deploy",
            stack,
            "--exclusively",
            "--require-approval",
            "never",
            "--parameters",
            f"{stack}:Autoscaling={state}",
        )
    assert failures(deployed) == []


@pytest.mark.parametrize("deployed", ["dev"], indirect=True)
def test_an_alarm_that_tells_nobody_is_found_and_somebody_who_hears_of_alarms(deployed: Deployment) -> None:
    stack = deployed.plan.endpoints[0].stack_name
    (alarm, *_) = (
        physical_id for name, physical_id in deployed.physical_ids(stack).items() if name.startswith("Alarms")
    )
    deployed.client("cloudwatch").disable_alarm_actions(AlarmNames=[alarm])
    assert failures(deployed) == [("alarms", alarm, "its actions are disabled: it tells nobody")]
    deployed.client("cloudwatch").enable_alarm_actions(AlarmNames=[alarm])

    # The emulator confirms by itself, and lists nothing as pending.
    sns = deployed.client("sns")
    topic = f"arn:aws:sns:{deployed.plan.region}:{deployed.plan.account}:{deployed.plan.foundation.alarm_topic_name}"
    subscribed = sns.subscribe(TopicArn=topic, Protocol="email", Endpoint="on-call@example.com")
    assert "subscriptions" not in {finding["check"] for finding in verify(deployed)[1]}
    sns.unsubscribe(SubscriptionArn=subscribed["SubscriptionArn"])


@pytest.mark.parametrize("deployed", ["dev"], indirect=True)
def test_a_stack_that_was_rolled_back_is_found(deployed: Deployment, tmp_path: Path) -> None:
    endpoint = next(one for one in deployed.plan.endpoints if one.scaling)
    stack = endpoint.stack_name
    assembly = deployed.edited(stack, _on("ml.m5.24xlarge"), name="refused")
    deployed.deploy(stack, assembly=assembly, check=False)

    code, found = verify(deployed, tmp_path)
    assert code == 1
    assert [
        finding["subject"]
        for finding in found
        if finding["check"] == "stacks" and "what runs is the version before it" in finding["says"]
    ] == [stack]
    assert failures(deployed) == [], "what runs is what cdk.out has"


@pytest.mark.parametrize("deployed", ["dev"], indirect=True)
def test_what_runs_is_shown_and_what_it_logs(deployed: Deployment) -> None:
    endpoint = deployed.plan.endpoints[0]
    (place,) = json.loads(sizewell(deployed, "status", "--json").stdout)["places"]
    shown = next(one for one in place["workloads"] if one["workload"] == endpoint.name)
    assert [(part["name"], part["runs_on"], part["state"]) for part in shown["parts"]] == [
        (
            f"{endpoint.endpoint_name}/{endpoint.variant_name}",
            f"{endpoint.initial_instance_count} x {endpoint.instance_type}",
            "InService",
        )
    ]

    logs, group = deployed.client("logs"), f"/aws/sagemaker/Endpoints/{endpoint.endpoint_name}"
    logs.create_log_stream(logGroupName=group, logStreamName="primary/i-1")
    event = {"timestamp": int(time.time() * 1000), "message": "ready\x1b[2J"}
    logs.put_log_events(logGroupName=group, logStreamName="primary/i-1", logEvents=[event])
    assert sizewell(deployed, "logs", endpoint.name).stdout.endswith(" primary/i-1 ready\\x1b[2J\n")


def _on(instance_type: str) -> Callable[[Template], None]:
    def edit(template: Template) -> None:
        for _, properties in resources_of(template, "AWS::SageMaker::EndpointConfig"):
            variant: dict[str, Any] = properties["ProductionVariants"][0]
            variant["InstanceType"] = instance_type

    return edit
