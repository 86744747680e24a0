from typing import Any

import pytest
from aws_cdk import Stack
from aws_cdk.assertions import Template
from aws_cdk.aws_sagemaker import CfnEndpoint

from constructs_lib.endpoints.endpoint_rollout import Rollout
from sizewell.facts.deployment_guardrails import RolloutStrategy

VALUES: dict[str, Any] = {"first_share_percent": 50, "wait_interval_s": 600, "max_execution_timeout_s": 3600}


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"first_share_percent": 51}, "first_share_percent must lie between 5 and 50, got 51"),
        ({"first_share_percent": 4}, "first_share_percent must lie between 5 and 50, got 4"),
        ({"wait_interval_s": 3601}, "wait_interval_s must lie between 0 and 3600, got 3601"),
        ({"max_execution_timeout_s": 599}, "max_execution_timeout_s must lie between 600 and 28800, got 599"),
        (
            {"max_execution_timeout_s": 1200},
            r"the waits take 1200 s, all of max_execution_timeout_s \(1200\)",
        ),
    ],
)
def test_what_update_endpoint_would_refuse_is_refused(overrides: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Rollout(strategy="canary", **(VALUES | overrides))


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (
            {"strategy": "linear", "first_share_percent": 9},
            "first_share_percent must lie between 10 and 50, got 9",
        ),
        ({"strategy": "all-at-once"}, "first_share_percent is for all but all-at-once"),
        (
            {"strategy": "canary", "first_share_percent": None},
            "first_share_percent is for all but all-at-once",
        ),
        ({"strategy": "rolling", "termination_wait_s": 60}, "termination_wait_s is for blue/green updates"),
    ],
)
def test_what_does_not_go_with_a_strategy_is_refused(overrides: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Rollout(**(VALUES | overrides))


@pytest.mark.cdk
@pytest.mark.parametrize(
    ("strategy", "routing"),
    [
        ("all-at-once", {"Type": "ALL_AT_ONCE"}),
        ("canary", {"Type": "CANARY", "CanarySize": {"Type": "CAPACITY_PERCENT", "Value": 25}}),
        ("linear", {"Type": "LINEAR", "LinearStepSize": {"Type": "CAPACITY_PERCENT", "Value": 25}}),
    ],
)
def test_blue_green_moves_traffic_as_its_strategy_says(
    stack: Stack, strategy: RolloutStrategy, routing: dict[str, Any]
) -> None:
    rollout = Rollout(
        strategy=strategy,
        first_share_percent=None if strategy == "all-at-once" else 25,
        wait_interval_s=300,
        max_execution_timeout_s=3600,
        termination_wait_s=120,
    )
    endpoint = CfnEndpoint(stack, "Endpoint", endpoint_config_name="any")
    endpoint.deployment_config = rollout.to_deployment_config(["errors"])
    (resource,) = Template.from_stack(stack).find_resources("AWS::SageMaker::Endpoint").values()
    assert resource["Properties"]["DeploymentConfig"] == {
        "AutoRollbackConfiguration": {"Alarms": [{"AlarmName": "errors"}]},
        "BlueGreenUpdatePolicy": {
            "TrafficRoutingConfiguration": {**routing, "WaitIntervalInSeconds": 300},
            "MaximumExecutionTimeoutInSeconds": 3600,
            "TerminationWaitInSeconds": 120,
        },
    }
