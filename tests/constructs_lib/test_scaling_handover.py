import ast
from fnmatch import fnmatchcase
from typing import Any

import pytest
from aws_cdk import RemovalPolicy, Stack
from aws_cdk.assertions import Template

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


@pytest.fixture
def template(stack: Stack) -> Template:
    ScalingHandover(
        stack,
        "Handover",
        props=ScalingHandoverProps(
            name_prefix="demo-dev",
            operations_key_arn=KEY,
            alarm_topic_arn=TOPIC,
            log_retention_days=90,
            removal_policy=RemovalPolicy.RETAIN,
        ),
    )
    return Template.from_stack(stack)


def only(template: Template, resource_type: str) -> dict[str, Any]:
    [resource] = template.find_resources(resource_type).values()
    properties: dict[str, Any] = resource["Properties"]
    return properties


def statements(template: Template) -> dict[str, dict[str, Any]]:
    """Return the statements of the role by each of their actions."""
    found = only(template, "AWS::IAM::ManagedPolicy")["PolicyDocument"]["Statement"]
    return {action: statement for statement in found for action in statement["Action"]}


def test_the_function_is_the_file_as_it_was_tested(template: Template) -> None:
    function = only(template, "AWS::Lambda::Function")
    assert function["Code"] == {"ZipFile": CODE}
    assert function["Handler"] == "index.handler"
    assert function["Timeout"] == FUNCTION_TIMEOUT_S
    assert "ReservedConcurrentExecutions" not in function
    assert "FunctionName" not in function, "a new name would be a new ARN, which no custom resource may get"


def test_every_api_that_the_function_calls_is_allowed_and_no_other(template: Template) -> None:
    called = {
        node.func.attr
        for node in ast.walk(ast.parse(CODE))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    } | {"describe_scalable_targets", "describe_scaling_policies"}
    allowed = {
        service: {
            "".join(f"_{c.lower()}" if c.isupper() else c for c in action.split(":")[1])[1:]
            for action in statements(template)
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


def test_permissions_end_with_the_environment(template: Template) -> None:
    by_action = statements(template)
    endpoints = f"arn:aws:sagemaker:{HERE}:endpoint/demo-dev-*"
    assert by_action["sagemaker:DescribeEndpoint"]["Resource"] == endpoints
    assert by_action["sagemaker:UpdateEndpointWeightsAndCapacities"]["Resource"] == endpoints
    alarms = f"arn:aws:cloudwatch:{HERE}:alarm:TargetTracking-endpoint/demo-dev-*"
    assert by_action["cloudwatch:PutMetricAlarm"]["Resource"] == alarms
    assert by_action["cloudwatch:DeleteAlarms"]["Resource"] == alarms
    made_by_aws = "TargetTracking-endpoint/demo-dev-bert/variant/primary-AlarmHigh-0b1c"
    assert fnmatchcase(f"arn:aws:cloudwatch:{HERE}:alarm:{made_by_aws}", alarms)


@pytest.mark.parametrize(
    "action",
    ["DeleteScalingPolicy", "DeregisterScalableTarget", "PutScalingPolicy", "RegisterScalableTarget"],
)
def test_only_instance_counts_of_variants_can_be_registered(template: Template, action: str) -> None:
    statement = statements(template)[f"application-autoscaling:{action}"]
    assert statement["Resource"] == f"arn:aws:application-autoscaling:{HERE}:scalable-target/*"
    assert statement["Condition"] == {
        "StringEquals": {
            "application-autoscaling:service-namespace": index.TARGET["ServiceNamespace"],
            "application-autoscaling:scalable-dimension": index.TARGET["ScalableDimension"],
        }
    }


def test_only_reading_is_allowed_everywhere(template: Template) -> None:
    everywhere = {action for action, s in statements(template).items() if s["Resource"] == "*"}
    assert everywhere == {
        "application-autoscaling:DescribeScalableTargets",
        "application-autoscaling:DescribeScalingPolicies",
        "cloudwatch:DescribeAlarms",
    }


def test_the_linked_role_of_one_service_may_be_made(template: Template) -> None:
    statement = statements(template)["iam:CreateServiceLinkedRole"]
    service = "sagemaker.application-autoscaling.amazonaws.com"
    assert statement["Resource"].endswith(
        f":role/aws-service-role/{service}/AWSServiceRoleForApplicationAutoScaling_SageMakerEndpoint"
    )
    assert statement["Condition"] == {"StringEquals": {"iam:AWSServiceName": service}}


def test_the_rules_of_the_environment_may_call(template: Template) -> None:
    permission = only(template, "AWS::Lambda::Permission")
    assert permission["Principal"] == "events.amazonaws.com"
    assert permission["SourceArn"] == f"arn:aws:events:{HERE}:rule/demo-dev-*-deployed"


def test_a_call_does_not_outlive_the_deployment_that_waits_for_it(template: Template) -> None:
    config = only(template, "AWS::Lambda::EventInvokeConfig")
    assert config["MaximumEventAgeInSeconds"] == MAX_EVENT_AGE_S < SERVICE_TIMEOUT_S
    assert config["MaximumRetryAttempts"] == 2
    assert FUNCTION_TIMEOUT_S < SERVICE_TIMEOUT_S <= 3600


def test_people_hear_of_a_lost_call(template: Template) -> None:
    [function_id] = template.find_resources("AWS::Lambda::Function")
    alarm = only(template, "AWS::CloudWatch::Alarm")
    assert (alarm["Namespace"], alarm["MetricName"]) == ("AWS/Lambda", "AsyncEventsDropped")
    assert alarm["Dimensions"] == [{"Name": "FunctionName", "Value": {"Ref": function_id}}]
    assert alarm["AlarmActions"] == [TOPIC]


def test_the_log_is_encrypted_expires_and_is_the_only_one_it_may_write(template: Template) -> None:
    [log_group_id] = template.find_resources("AWS::Logs::LogGroup")
    log_group = only(template, "AWS::Logs::LogGroup")
    assert (log_group["KmsKeyId"], log_group["RetentionInDays"]) == (KEY, 90)
    function = only(template, "AWS::Lambda::Function")
    assert function["LoggingConfig"] == {"LogGroup": {"Ref": log_group_id}}
    assert statements(template)["logs:PutLogEvents"]["Resource"] == {"Fn::GetAtt": [log_group_id, "Arn"]}
