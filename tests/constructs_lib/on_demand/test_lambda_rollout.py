from dataclasses import replace
from typing import Any

import pytest
from aws_cdk import Stack
from aws_cdk.assertions import Match, Template

from constructs_lib.alarms.lambda_alarms import LambdaAlarm
from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.on_demand.lambda_function import LambdaFunction, LambdaFunctionProps
from constructs_lib.on_demand.lambda_rollout import LambdaRollout, LambdaRolloutProps
from sizewell.facts.alarms import OF_REQUESTS
from tests.constructs_lib.judges import open_findings
from tests.constructs_lib.resources import Only

pytestmark = pytest.mark.cdk

TOPIC = "arn:aws:sns:us-east-1:111122223333:alarms"
ERRORS = {"error_rate": LambdaAlarm(threshold=1, evaluation=OF_REQUESTS)}


@pytest.fixture
def props(stack: Stack, foundation: FoundationReferences) -> LambdaRolloutProps:
    function = LambdaFunction(
        stack,
        "Function",
        props=LambdaFunctionProps(
            function_name="photos-dev",
            image_uri="111122223333.dkr.ecr.us-east-1.amazonaws.com/photos:7",
            memory_mb=2048,
            timeout_s=30,
            max_concurrency=20,
            foundation=foundation,
        ),
    )
    return LambdaRolloutProps(
        function=function,
        strategy="canary",
        share_percent=10,
        wait_interval_s=900,
        alarms={**ERRORS, "duration_p95": LambdaAlarm(threshold=1600, evaluation=OF_REQUESTS)},
    )


def test_codedeploy_moves_the_alias_and_alarms_of_the_version_call_it_back(
    stack: Stack, only: Only, props: LambdaRolloutProps
) -> None:
    LambdaRollout(stack, "Rollout", props=props)

    template = Template.from_stack(stack)
    (application,), (group_id,) = (
        template.find_resources(f"AWS::CodeDeploy::{noun}") for noun in ("Application", "DeploymentGroup")
    )
    template.has_resource(
        "AWS::Lambda::Alias",
        {
            "UpdatePolicy": {
                "CodeDeployLambdaAliasUpdate": {
                    "ApplicationName": {"Ref": application},
                    "DeploymentGroupName": {"Ref": group_id},
                }
            }
        },
    )
    assert only("AWS::CodeDeploy::Application") == {"ComputePlatform": "Lambda"}
    group = only("AWS::CodeDeploy::DeploymentGroup")
    alarms = template.find_resources("AWS::CloudWatch::Alarm")
    assert {alarm["Name"]["Ref"] for alarm in group["AlarmConfiguration"].pop("Alarms")} == alarms.keys()
    assert {key: group[key] for key in group.keys() - {"ServiceRoleArn"}} == {
        "ApplicationName": {"Ref": application},
        "AlarmConfiguration": {"Enabled": True},
        "AutoRollbackConfiguration": {
            "Enabled": True,
            "Events": ["DEPLOYMENT_FAILURE", "DEPLOYMENT_STOP_ON_ALARM"],
        },
        "DeploymentConfigName": "CodeDeployDefault.LambdaCanary10Percent15Minutes",
        "DeploymentStyle": {"DeploymentOption": "WITH_TRAFFIC_CONTROL", "DeploymentType": "BLUE_GREEN"},
    }
    template.resource_count_is("AWS::CodeDeploy::DeploymentConfig", 0)

    of_version = [
        {"Name": "FunctionName", "Value": "photos-dev"},
        {"Name": "Resource", "Value": "photos-dev:live"},
        {
            "Name": "ExecutedVersion",
            "Value": {"Fn::GetAtt": [Match.string_like_regexp("^FunctionVersion"), "Version"]},
        },
    ]
    suffix = f"-{props.function.digest}"
    template.has_resource_properties(
        "AWS::CloudWatch::Alarm",
        {
            "AlarmName": f"photos-dev-DurationP95{suffix}",
            "Metrics": [
                {"Expression": "100 - fast"},
                {
                    "MetricStat": {
                        "Metric": {"MetricName": "Duration", "Dimensions": of_version},
                        "Stat": "PR(0:1600)",
                    }
                },
            ],
            "Threshold": 5,
            # People hear of the alarm on the alias.
            "AlarmActions": Match.absent(),
        },
    )
    template.has_resource_properties(
        "AWS::CloudWatch::Alarm",
        {
            "AlarmName": f"photos-dev-ErrorRate{suffix}",
            "Metrics": [
                {"Expression": "IF(errors >= 1, 100 * errors / requests, 0)", "Id": "share"},
                *(
                    {
                        "MetricStat": {
                            "Metric": {
                                "Namespace": "AWS/Lambda",
                                "MetricName": name,
                                "Dimensions": of_version,
                            }
                        }
                    }
                    for name in ("Errors", "Invocations")
                ),
            ],
        },
    )
    assert open_findings(stack) == set()


def test_the_role_of_codedeploy_reaches_one_function(stack: Stack, props: LambdaRolloutProps) -> None:
    LambdaRollout(stack, "Rollout", props=props)
    template, arn = (
        Template.from_stack(stack),
        "arn:${AWS::Partition}:lambda:${AWS::Region}:${AWS::AccountId}:function:photos-dev",
    )
    template.has_resource_properties(
        "AWS::IAM::Role",
        {
            "AssumeRolePolicyDocument": {
                "Statement": [
                    {
                        "Principal": {"Service": "codedeploy.amazonaws.com"},
                        "Condition": {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}},
                    }
                ]
            }
        },
    )
    template.has_resource_properties(
        "AWS::IAM::ManagedPolicy",
        {
            "PolicyDocument": {
                "Statement": [
                    {
                        "Sid": "ShiftTraffic",
                        "Effect": "Allow",
                        "Action": [
                            "lambda:GetAlias",
                            "lambda:GetProvisionedConcurrencyConfig",
                            "lambda:UpdateAlias",
                        ],
                        "Resource": [{"Fn::Sub": arn}, {"Fn::Sub": f"{arn}:*"}],
                    },
                    {
                        "Sid": "WatchAlarms",
                        "Effect": "Allow",
                        "Action": "cloudwatch:DescribeAlarms",
                        "Resource": "*",
                    },
                ],
                "Version": "2012-10-17",
            }
        },
    )


@pytest.mark.parametrize(
    ("strategy", "routing"),
    [
        (
            "canary",
            {
                "Type": "TimeBasedCanary",
                "TimeBasedCanary": {"CanaryPercentage": 25, "CanaryInterval": 45},
            },
        ),
        (
            "linear",
            {
                "Type": "TimeBasedLinear",
                "TimeBasedLinear": {"LinearPercentage": 25, "LinearInterval": 45},
            },
        ),
    ],
)
def test_steps_that_aws_has_no_configuration_for_have_one_of_their_own(
    stack: Stack, only: Only, props: LambdaRolloutProps, strategy: Any, routing: dict[str, Any]
) -> None:
    own = replace(props, strategy=strategy, share_percent=25, wait_interval_s=2700)
    LambdaRollout(stack, "Rollout", props=own)
    assert only("AWS::CodeDeploy::DeploymentConfig") == {
        "ComputePlatform": "Lambda",
        "TrafficRoutingConfig": routing,
    }
    (config_id,) = Template.from_stack(stack).find_resources("AWS::CodeDeploy::DeploymentConfig")
    assert only("AWS::CodeDeploy::DeploymentGroup")["DeploymentConfigName"] == {"Ref": config_id}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"share_percent": 100}, "share_percent must lie between 1 and 99"),
        ({"wait_interval_s": 90}, "wait_interval_s must be whole minutes"),
        ({"strategy": "linear", "share_percent": 1, "wait_interval_s": 3600}, "may take 172,800 seconds"),
        ({"alarms": {}}, "nothing would call a bad version back"),
    ],
)
def test_what_codedeploy_refuses_is_refused_before(
    props: LambdaRolloutProps, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        replace(props, **changes)
