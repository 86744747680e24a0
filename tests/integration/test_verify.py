"""Given a deployed environment, when it is verified, then nothing is found; and what somebody changes by hand is found."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.integration.harness import Deployment, Template, resources_of
from tests.localcloud.processes import PATIENCE_S
from tests.synthesis import PROJECT_ROOT


def verify(deployment: Deployment, directory: Path | None = None) -> tuple[int, list[dict[str, str]]]:
    """Run it where cdk.out is, or in another directory; return the exit code and what did not pass."""
    command = (sys.executable, "-m", "sizewell.cli.main", "verify", "--env", deployment.plan.environment)
    result = subprocess.run(
        [*command, "--config", str(PROJECT_ROOT / "config"), "--json"],
        cwd=directory or deployment.folder,
        env={**deployment.environment, "PYTHONPATH": f"{PROJECT_ROOT}:{PROJECT_ROOT / 'tools/localcloud'}"},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert result.stdout, result.stderr
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
    assert failures(deployed) == [("scaling", resource_id, "scaling out is suspended")]
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


def _on(instance_type: str) -> Callable[[Template], None]:
    def edit(template: Template) -> None:
        for _, properties in resources_of(template, "AWS::SageMaker::EndpointConfig"):
            variant: dict[str, Any] = properties["ProductionVariants"][0]
            variant["InstanceType"] = instance_type

    return edit
