from dataclasses import replace
from typing import Any

import pytest
from aws_cdk import Stack
from aws_cdk.assertions import Match, Template

from constructs_lib.alarms.endpoint_alarms import EndpointAlarmProps, EndpointAlarms
from constructs_lib.alarms.endpoint_thresholds import AlarmThresholds
from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.on_demand.serverless_endpoint import ServerlessEndpoint, ServerlessEndpointProps
from constructs_lib.scaling.concurrency_scaling import (
    ConcurrencyAction,
    ConcurrencyScaling,
    ConcurrencyScalingProps,
    concurrency_of_variant,
)
from tests.constructs_lib.judges import open_findings
from tests.constructs_lib.resources import Only, statements_by_sid

pytestmark = pytest.mark.cdk


@pytest.fixture
def props(foundation: FoundationReferences) -> ServerlessEndpointProps:
    return ServerlessEndpointProps(
        endpoint_name="photos-dev",
        image_uri="111122223333.dkr.ecr.us-east-1.amazonaws.com/photos@sha256:" + "0" * 64,
        artifact_key="models/photos/7/model.tar.gz",
        memory_mb=3072,
        max_concurrency=20,
        provisioned_concurrency=4,
        foundation=foundation,
    )


def test_it_has_no_vpc_no_isolation_and_no_instances(
    stack: Stack, only: Only, props: ServerlessEndpointProps
) -> None:
    ServerlessEndpoint(stack, "Endpoint", props=props)

    model, configuration = only("AWS::SageMaker::Model"), only("AWS::SageMaker::EndpointConfig")
    assert model.keys() == {"ExecutionRoleArn", "PrimaryContainer"}
    assert model["PrimaryContainer"].keys() == {"Image", "ModelDataUrl"}
    assert model["PrimaryContainer"]["ModelDataUrl"] == (
        "s3://demo-dev-artifacts-111122223333-us-east-1/models/photos/7/model.tar.gz"
    )
    assert configuration["KmsKeyId"] == props.foundation.data_key_arn
    (variant,) = configuration["ProductionVariants"]
    assert variant["ServerlessConfig"] == {
        "MemorySizeInMB": 3072,
        "MaxConcurrency": 20,
        "ProvisionedConcurrency": 4,
    }
    assert variant.keys() == {"VariantName", "ModelName", "InitialVariantWeight", "ServerlessConfig"}
    assert only("AWS::SageMaker::Endpoint").keys() == {"EndpointName", "EndpointConfigName"}
    assert only("AWS::Logs::LogGroup")["LogGroupName"] == "/aws/sagemaker/Endpoints/photos-dev"
    assert open_findings(stack) == set()


def test_its_role_makes_no_network_interfaces(
    stack: Stack, only: Only, props: ServerlessEndpointProps
) -> None:
    ServerlessEndpoint(stack, "Endpoint", props=props)

    statements = statements_by_sid(only)
    actions = {
        action
        for statement in statements.values()
        for action in ([statement["Action"]] if isinstance(statement["Action"], str) else statement["Action"])
    }
    assert actions == {
        "cloudwatch:PutMetricData",
        "ecr:BatchCheckLayerAvailability",
        "ecr:BatchGetImage",
        "ecr:GetAuthorizationToken",
        "ecr:GetDownloadUrlForLayer",
        "kms:CreateGrant",
        "kms:Decrypt",
        "logs:CreateLogGroup",
        "logs:CreateLogStream",
        "logs:DescribeLogStreams",
        "logs:PutLogEvents",
        "s3:GetObject",
        "s3:ListBucket",
    }
    starred = {sid for sid, statement in statements.items() if statement["Resource"] == "*"}
    assert {statements[sid]["Action"] for sid in starred} == {
        "ecr:GetAuthorizationToken",
        "cloudwatch:PutMetricData",
    }


def test_provisioned_concurrency_scales_by_its_utilization_and_the_clock(
    stack: Stack, only: Only, props: ServerlessEndpointProps
) -> None:
    endpoint = ServerlessEndpoint(stack, "Endpoint", props=props)
    ConcurrencyScaling(
        stack,
        "Scaling",
        props=ConcurrencyScalingProps(
            target=concurrency_of_variant(endpoint.endpoint, "photos-dev", "AllTraffic"),
            min_provisioned_concurrency=1,
            max_provisioned_concurrency=9,
            target_utilization=0.7,
            scale_out_cooldown_s=60,
            scale_in_cooldown_s=300,
            scheduled_actions=[
                ConcurrencyAction(
                    name="nights",
                    schedule="cron(0 20 * * ? *)",
                    time_zone="Europe/Berlin",
                    min_provisioned_concurrency=1,
                    max_provisioned_concurrency=2,
                )
            ],
        ),
    )

    target = only("AWS::ApplicationAutoScaling::ScalableTarget")
    assert target == {
        "ServiceNamespace": "sagemaker",
        "ScalableDimension": "sagemaker:variant:DesiredProvisionedConcurrency",
        "ResourceId": "endpoint/photos-dev/variant/AllTraffic",
        "MinCapacity": 1,
        "MaxCapacity": 9,
        "ScheduledActions": [
            {
                "ScheduledActionName": "nights",
                "Schedule": "cron(0 20 * * ? *)",
                "Timezone": "Europe/Berlin",
                "ScalableTargetAction": {"MinCapacity": 1, "MaxCapacity": 2},
            }
        ],
    }
    tracking = only("AWS::ApplicationAutoScaling::ScalingPolicy")["TargetTrackingScalingPolicyConfiguration"]
    assert tracking == {
        "TargetValue": 0.7,
        "PredefinedMetricSpecification": {
            "PredefinedMetricType": "SageMakerVariantProvisionedConcurrencyUtilization"
        },
        "ScaleOutCooldown": 60,
        "ScaleInCooldown": 300,
    }
    template = Template.from_stack(stack)
    template.has_resource(
        "AWS::ApplicationAutoScaling::ScalableTarget",
        {"DependsOn": Match.array_with([Match.string_like_regexp("^Endpoint")])},
    )


@pytest.mark.parametrize(
    ("threshold", "namespace", "metric", "statistic", "value"),
    [
        ({"max_average_model_setup_time_ms": 12_000}, "AWS/SageMaker", "ModelSetupTime", "Average", 12e6),
        (
            {"max_concurrency_utilization_percent": 90},
            "AWS/SageMaker",
            "ServerlessConcurrentExecutionsUtilization",
            "Maximum",
            0.9,
        ),
        (
            {"max_provisioned_concurrency_spillover": 0},
            "AWS/SageMaker",
            "ServerlessProvisionedConcurrencySpilloverInvocations",
            "Maximum",
            0,
        ),
        (
            {"max_memory_utilization_percent": 90},
            "/aws/sagemaker/Endpoints",
            "MemoryUtilization",
            "Maximum",
            90,
        ),
    ],
)
def test_alarms_are_quiet_without_traffic(
    stack: Stack,
    only: Only,
    threshold: dict[str, float],
    namespace: str,
    metric: str,
    statistic: str,
    value: float,
) -> None:
    EndpointAlarms(
        stack,
        "Alarms",
        props=EndpointAlarmProps(
            endpoint_name="photos-dev",
            variant_name="AllTraffic",
            thresholds=AlarmThresholds(**threshold),
            alarm_topic_arn="arn:aws:sns:us-east-1:111122223333:alarms",
            instances_report=False,
        ),
    )

    alarm = only("AWS::CloudWatch::Alarm")
    assert (alarm["Namespace"], alarm["MetricName"], alarm["Statistic"], alarm["Threshold"]) == (
        namespace,
        metric,
        statistic,
        value,
    )
    assert {dimension["Name"]: dimension["Value"] for dimension in alarm["Dimensions"]} == {
        "EndpointName": "photos-dev",
        "VariantName": "AllTraffic",
    }
    assert alarm["TreatMissingData"] == "notBreaching"
    assert "InsufficientDataActions" not in alarm


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"memory_mb": 1500}, "1024 to 6144 in steps of 1024"),
        ({"max_concurrency": 201}, "between 1 and 200"),
        ({"provisioned_concurrency": 21}, "between 1 and max_concurrency"),
        ({"artifact_key": "models/photos/"}, "a tar.gz object"),
        ({"endpoint_name": "-photos"}, "endpoint_name takes"),
    ],
)
def test_what_the_api_refuses_is_refused_before(
    props: ServerlessEndpointProps, changes: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        replace(props, **changes)
