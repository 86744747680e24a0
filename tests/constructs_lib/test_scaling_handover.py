import ast
from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import Any

import pytest
from aws_cdk import RemovalPolicy, Stack

from constructs_lib.scaling_handover import (
    FUNCTION_TIMEOUT_S,
    MAX_EVENT_AGE_S,
    SERVICE_TIMEOUT_S,
    ScalingHandover,
    ScalingHandoverProps,
)
from constructs_lib.scaling_handover_function import index
from tests.synthesis import PROJECT_ROOT

pytestmark = pytest.mark.cdk

KEY = "arn:aws:kms:us-east-1:111122223333:key/00000000-0000-0000-0000-00000000000e"
TOPIC = "arn:aws:sns:us-east-1:111122223333:demo-dev-alarms"
HERE = "us-east-1:111122223333"
CODE = (PROJECT_ROOT / "constructs_lib" / "scaling_handover_function" / "index.py").read_text("utf-8")


Only = Callable[[str], dict[str, Any]]


@pytest.fixture
def only(stack: Stack, only: Only) -> Only:
    props = ScalingHandoverProps(
        name_prefix="demo-dev",
        operations_key_arn=KEY,
        alarm_topic_arn=TOPIC,
        log_retention_days=90,
        removal_policy=RemovalPolicy.RETAIN,
    )
    ScalingHandover(stack, "Handover", props=props)
    return only


@pytest.fixture
def statements(only: Only) -> dict[str, dict[str, Any]]:
    """Return the statements of the role by each of their actions."""
    found = only("AWS::IAM::ManagedPolicy")["PolicyDocument"]["Statement"]
    return {action: statement for statement in found for action in statement["Action"]}


def test_the_function_keeps_its_arn(only: Only) -> None:
    assert "FunctionName" not in only("AWS::Lambda::Function"), "no custom resource may get another token"


def test_every_api_that_the_function_calls_is_allowed_and_no_other(
    statements: dict[str, dict[str, Any]],
) -> None:
    called = {
        node.func.attr
        for node in ast.walk(ast.parse(CODE))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    } | {"describe_scalable_targets", "describe_scaling_policies"}
    allowed = {
        service: {
            "".join(f"_{c.lower()}" if c.isupper() else c for c in action.split(":")[1])[1:]
            for action in statements
            if action.startswith(f"{service}:")
        }
        for service in ("sagemaker", "application-autoscaling")
    }
    needed_to_register = {"update_endpoint_weights_and_capacities"}
    assert allowed["sagemaker"] - needed_to_register <= called
    assert allowed["application-autoscaling"] <= called
    verbs = {
        name for name in called if name.endswith(("_target", "_policy", "_endpoint", "_endpoint_config"))
    }
    apis = {name for name in verbs if not name.startswith("_")}
    assert apis <= allowed["sagemaker"] | allowed["application-autoscaling"]


def test_permissions_end_with_the_environment(statements: dict[str, dict[str, Any]]) -> None:
    endpoints = f"arn:aws:sagemaker:{HERE}:endpoint/demo-dev-*"
    assert statements["sagemaker:DescribeEndpoint"]["Resource"] == endpoints
    assert statements["sagemaker:UpdateEndpointWeightsAndCapacities"]["Resource"] == endpoints
    alarms = f"arn:aws:cloudwatch:{HERE}:alarm:TargetTracking-endpoint/demo-dev-*"
    assert statements["cloudwatch:PutMetricAlarm"]["Resource"] == alarms
    assert statements["cloudwatch:DeleteAlarms"]["Resource"] == alarms
    made_by_aws = "TargetTracking-endpoint/demo-dev-bert/variant/primary-AlarmHigh-0b1c"
    assert fnmatchcase(f"arn:aws:cloudwatch:{HERE}:alarm:{made_by_aws}", alarms)


@pytest.mark.parametrize(
    "action",
    ["DeleteScalingPolicy", "DeregisterScalableTarget", "PutScalingPolicy", "RegisterScalableTarget"],
)
def test_only_instance_counts_of_variants_can_be_registered(
    statements: dict[str, dict[str, Any]], action: str
) -> None:
    statement = statements[f"application-autoscaling:{action}"]
    assert statement["Resource"] == f"arn:aws:application-autoscaling:{HERE}:scalable-target/*"
    assert statement["Condition"] == {
        "StringEquals": {
            "application-autoscaling:service-namespace": index.TARGET["ServiceNamespace"],
            "application-autoscaling:scalable-dimension": index.TARGET["ScalableDimension"],
        }
    }


def test_only_reading_is_allowed_everywhere(statements: dict[str, dict[str, Any]]) -> None:
    everywhere = {action for action, s in statements.items() if s["Resource"] == "*"}
    assert everywhere == {
        "application-autoscaling:DescribeScalableTargets",
        "application-autoscaling:DescribeScalingPolicies",
        "cloudwatch:DescribeAlarms",
    }


def test_a_call_does_not_outlive_the_deployment_that_waits_for_it(only: Only) -> None:
    config = only("AWS::Lambda::EventInvokeConfig")
    assert config["MaximumEventAgeInSeconds"] == MAX_EVENT_AGE_S < SERVICE_TIMEOUT_S
    assert FUNCTION_TIMEOUT_S < SERVICE_TIMEOUT_S <= 3600
