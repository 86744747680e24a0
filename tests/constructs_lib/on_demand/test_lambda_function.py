from dataclasses import replace
from typing import Any

import pytest
from aws_cdk import App, Stack
from aws_cdk.assertions import Match, Template

from constructs_lib.alarms.lambda_alarms import LambdaAlarm, LambdaAlarms, LambdaAlarmsProps
from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.on_demand.lambda_function import LambdaFunction, LambdaFunctionProps
from constructs_lib.scaling.concurrency_scaling import (
    ConcurrencyScaling,
    ConcurrencyScalingProps,
    concurrency_of_alias,
)
from sizewell.facts.alarms import OF_REQUESTS
from tests.constructs_lib.judges import open_findings
from tests.constructs_lib.resources import Only, statements_by_sid

pytestmark = pytest.mark.cdk

ALIAS = [
    {"Name": "FunctionName", "Value": "photos-dev"},
    {"Name": "Resource", "Value": "photos-dev:live"},
]


@pytest.fixture
def props(foundation: FoundationReferences) -> LambdaFunctionProps:
    return LambdaFunctionProps(
        function_name="photos-dev",
        image_uri="111122223333.dkr.ecr.us-east-1.amazonaws.com/photos:7",
        architecture="arm64",
        artifact_key="models/photos/7/",
        memory_mb=2137,
        ephemeral_storage_mb=2048,
        timeout_s=30,
        max_concurrency=20,
        provisioned_concurrency=4,
        environment_variables={"LOG_LEVEL": "info"},
        foundation=foundation,
    )


def test_callers_invoke_an_alias_of_a_version_in_private_subnets(
    stack: Stack, only: Only, props: LambdaFunctionProps
) -> None:
    LambdaFunction(stack, "Function", props=props)

    function, alias = only("AWS::Lambda::Function"), only("AWS::Lambda::Alias")
    assert {key: function[key] for key in function.keys() - {"Role", "LoggingConfig"}} == {
        "FunctionName": "photos-dev",
        "PackageType": "Image",
        "Code": {"ImageUri": props.image_uri},
        "Architectures": ["arm64"],
        "MemorySize": 2137,
        "Timeout": 30,
        "EphemeralStorage": {"Size": 2048},
        "Environment": {
            "Variables": {
                "LOG_LEVEL": "info",
                "MODEL_S3_URI": "s3://demo-dev-artifacts-111122223333-us-east-1/models/photos/7/",
            }
        },
        "KmsKeyArn": props.foundation.data_key_arn,
        "VpcConfig": {
            "SecurityGroupIds": ["sg-0000000000000000e"],
            "SubnetIds": props.foundation.subnet_ids,
        },
    }
    assert only("AWS::Logs::LogGroup") == {
        "LogGroupName": "/aws/lambda/photos-dev",
        "KmsKeyId": props.foundation.operations_key_arn,
        "RetentionInDays": 90,
    }
    assert (alias["Name"], alias["ProvisionedConcurrencyConfig"]) == (
        "live",
        {"ProvisionedConcurrentExecutions": 4},
    )
    Template.from_stack(stack).has_resource_properties(
        "AWS::Lambda::Alias",
        {"FunctionVersion": {"Fn::GetAtt": [Match.string_like_regexp("^FunctionVersion"), "Version"]}},
    )
    assert open_findings(stack) == set()


@pytest.mark.parametrize(("changes", "reserved"), [({}, set()), ({"reserves_concurrency": True}, {20})])
def test_nothing_is_reserved_that_nobody_asks_for(
    stack: Stack, only: Only, props: LambdaFunctionProps, changes: dict[str, Any], reserved: set[int]
) -> None:
    LambdaFunction(stack, "Function", props=replace(props, **changes))
    found = only("AWS::Lambda::Function").get("ReservedConcurrentExecutions")
    assert {found} - {None} == reserved
    assert open_findings(stack) == set()


@pytest.mark.parametrize(
    ("changes", "is_new"),
    [
        ({"image_uri": "111122223333.dkr.ecr.us-east-1.amazonaws.com/photos:8"}, True),
        ({"environment_variables": {"LOG_LEVEL": "debug"}}, True),
        ({"memory_mb": 2138}, True),
        # Settings of the function and the alias, which no version holds.
        ({"max_concurrency": 30, "provisioned_concurrency": 5, "log_retention_days": 30}, False),
    ],
)
def test_another_image_or_setting_is_another_version(
    stack: Stack, props: LambdaFunctionProps, changes: dict[str, Any], is_new: bool
) -> None:
    root = stack.node.root
    assert isinstance(root, App)
    other = Stack(root, "Other", env={"account": "111122223333", "region": "us-east-1"})
    LambdaFunction(stack, "Function", props=props)
    LambdaFunction(other, "Function", props=replace(props, **changes))
    before, after = (
        set(Template.from_stack(each_stack).find_resources("AWS::Lambda::Version"))
        for each_stack in (stack, other)
    )
    assert (before != after) is is_new


def test_its_role_does_what_it_needs_and_its_code_no_more(
    stack: Stack, only: Only, props: LambdaFunctionProps
) -> None:
    LambdaFunction(stack, "Function", props=props)

    (allowed,) = only("AWS::IAM::Role")["AssumeRolePolicyDocument"]["Statement"]
    assert allowed["Principal"] == {"Service": "lambda.amazonaws.com"}
    statements = statements_by_sid(only)
    interfaces = [
        "ec2:AssignPrivateIpAddresses",
        "ec2:CreateNetworkInterface",
        "ec2:DeleteNetworkInterface",
        "ec2:UnassignPrivateIpAddresses",
    ]
    network = ["ec2:DescribeNetworkInterfaces", "ec2:DescribeSubnets"]
    assert {sid: statement["Action"] for sid, statement in statements.items()} == {
        "WriteLogs": ["logs:CreateLogStream", "logs:PutLogEvents"],
        "DecryptVariables": "kms:Decrypt",
        "ManageNetworkInterfaces": interfaces,
        "DescribeNetwork": network,
        "KeepNetworkFromCode": sorted([*interfaces, *network]),
        "ReadArtifact": "s3:GetObject",
        "ListArtifact": "s3:ListBucket",
        "DecryptArtifact": "kms:Decrypt",
    }
    itself = {"Fn::Sub": "arn:${AWS::Partition}:lambda:${AWS::Region}:${AWS::AccountId}:function:photos-dev"}
    denied = statements["KeepNetworkFromCode"]
    assert (denied["Effect"], denied["Condition"]) == (
        "Deny",
        {"ArnEquals": {"lambda:SourceFunctionArn": itself}},
    )
    assert statements["DecryptVariables"]["Condition"] == {
        "StringEquals": {"kms:EncryptionContext:aws:lambda:FunctionArn": itself}
    }


def test_with_the_model_in_the_image_it_reads_nothing(
    stack: Stack, only: Only, props: LambdaFunctionProps
) -> None:
    LambdaFunction(
        stack,
        "Function",
        props=replace(props, artifact_key=None, environment_variables={}, provisioned_concurrency=None),
    )
    sids = {statement["Sid"] for statement in only("AWS::IAM::ManagedPolicy")["PolicyDocument"]["Statement"]}
    assert sids.isdisjoint({"ReadArtifact", "ListArtifact", "DecryptArtifact"})
    assert "Environment" not in only("AWS::Lambda::Function")
    assert "ProvisionedConcurrencyConfig" not in only("AWS::Lambda::Alias")
    assert open_findings(stack) == set()


def test_its_provisioned_concurrency_scales_by_its_utilization(
    stack: Stack, only: Only, props: LambdaFunctionProps
) -> None:
    function = LambdaFunction(stack, "Function", props=props)
    ConcurrencyScaling(
        stack,
        "Scaling",
        props=ConcurrencyScalingProps(
            target=concurrency_of_alias(function.alias, "photos-dev"),
            min_provisioned_concurrency=1,
            max_provisioned_concurrency=900,
            target_utilization=0.7,
            scale_out_cooldown_s=60,
            scale_in_cooldown_s=300,
        ),
    )
    target = only("AWS::ApplicationAutoScaling::ScalableTarget")
    assert (target["ServiceNamespace"], target["ScalableDimension"], target["ResourceId"]) == (
        "lambda",
        "lambda:function:ProvisionedConcurrency",
        "function:photos-dev:live",
    )
    tracking = only("AWS::ApplicationAutoScaling::ScalingPolicy")["TargetTrackingScalingPolicyConfiguration"]
    assert tracking["PredefinedMetricSpecification"] == {
        "PredefinedMetricType": "LambdaProvisionedConcurrencyUtilization"
    }
    Template.from_stack(stack).has_resource(
        "AWS::ApplicationAutoScaling::ScalableTarget",
        {"DependsOn": Match.array_with([Match.string_like_regexp("^FunctionAlias")])},
    )


def alarm(stack: Stack, only: Only, name: str, threshold: float) -> dict[str, Any]:
    LambdaAlarms(
        stack,
        "Alarms",
        props=LambdaAlarmsProps(
            function_name="photos-dev",
            max_concurrency=20,
            alarms={name: LambdaAlarm(threshold=threshold, evaluation=OF_REQUESTS)},
            alarm_topic_arn="arn:aws:sns:us-east-1:111122223333:alarms",
        ),
    )
    found = only("AWS::CloudWatch::Alarm")
    assert (found["TreatMissingData"], found["ComparisonOperator"]) == (
        "notBreaching",
        "GreaterThanThreshold",
    )
    assert (found["DatapointsToAlarm"], found["EvaluationPeriods"]) == (3, 5)
    return found


@pytest.mark.parametrize(
    ("name", "threshold", "metric", "statistic", "value"),
    [
        ("concurrency_utilization", 90, "ConcurrentExecutions", "Maximum", 18),
        (
            "provisioned_concurrency_spillover",
            0,
            "ProvisionedConcurrencySpilloverInvocations",
            "Sum",
            0,
        ),
    ],
)
def test_alarms_are_on_what_the_alias_publishes(
    stack: Stack, only: Only, name: str, threshold: float, metric: str, statistic: str, value: float
) -> None:
    found = alarm(stack, only, name, threshold)
    assert (found["Namespace"], found["MetricName"], found["Dimensions"]) == ("AWS/Lambda", metric, ALIAS)
    assert found["Statistic"] == statistic
    assert (found["Threshold"], found["Period"]) == (value, 60)


@pytest.mark.parametrize(
    ("name", "threshold", "expression", "read", "value"),
    [
        (
            "error_rate",
            1,
            "IF(errors >= 5, 100 * errors / requests, 0)",
            {"errors": ("Errors", "Sum"), "requests": ("Invocations", "Sum")},
            1,
        ),
        (
            "throttles",
            0.5,
            # Lambda counts no invocation that it turned away.
            "IF(errors >= 5, 100 * errors / (FILL(requests, 0) + errors), 0)",
            {"errors": ("Throttles", "Sum"), "requests": ("Invocations", "Sum")},
            0.5,
        ),
        (
            "duration_p95",
            800,
            "IF((100 - fast) * requests > 6 * requests + 500, 100 - fast, 0)",
            {"fast": ("Duration", "PR(0:800)"), "requests": ("Duration", "SampleCount")},
            5,
        ),
        (
            "duration_p99",
            1600,
            "IF((100 - fast) * requests > 1.2 * requests + 500, 100 - fast, 0)",
            {"fast": ("Duration", "PR(0:1600)"), "requests": ("Duration", "SampleCount")},
            1,
        ),
    ],
)
def test_alarms_are_on_a_share_of_the_invocations(
    stack: Stack,
    only: Only,
    name: str,
    threshold: float,
    expression: str,
    read: dict[str, tuple[str, str]],
    value: float,
) -> None:
    found = alarm(stack, only, name, threshold)
    share, *queries = found["Metrics"]
    assert (share["Expression"], share["ReturnData"]) == (expression, True)
    assert {
        query["Id"]: (query["MetricStat"]["Metric"]["MetricName"], query["MetricStat"]["Stat"])
        for query in queries
    } == read
    for query in queries:
        assert query["MetricStat"]["Metric"]["Dimensions"] == ALIAS
    assert found["Threshold"] == value


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"memory_mb": 127}, "memory_mb must lie between 128 and 10240"),
        ({"timeout_s": 901}, "timeout_s must lie between 1 and 900"),
        ({"ephemeral_storage_mb": 511}, "ephemeral_storage_mb must lie between 512 and 10240"),
        ({"provisioned_concurrency": 21}, "must lie between 1 and max_concurrency"),
    ],
)
def test_what_lambda_refuses_is_refused_before(
    props: LambdaFunctionProps, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        replace(props, **changes)
