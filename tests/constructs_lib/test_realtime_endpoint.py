import json
from dataclasses import replace
from typing import Any

import pytest
from aws_cdk import App, RemovalPolicy, Stack
from aws_cdk.assertions import Template
from cdk_nag import AwsSolutionsChecks, HIPAASecurityChecks, NIST80053R5Checks, PCIDSS321Checks

from constructs_lib.endpoint_alarms import AlarmThresholds, EndpointAlarmProps, EndpointAlarms
from constructs_lib.endpoint_scaling import EndpointScaling, EndpointScalingProps, VariantScaling
from constructs_lib.realtime_endpoint import RealtimeEndpoint, RealtimeEndpointProps
from constructs_lib.references import FoundationReferences

pytestmark = pytest.mark.cdk

IMAGE = "111122223333.dkr.ecr.us-east-1.amazonaws.com/fraud@sha256:" + "0" * 64


@pytest.fixture
def props(foundation: FoundationReferences) -> RealtimeEndpointProps:
    return RealtimeEndpointProps(
        log_retention_days=30,
        removal_policy=RemovalPolicy.DESTROY,
        endpoint_name="fraud-dev",
        variant_name="AllTraffic",
        instance_type="ml.m5.large",
        initial_instance_count=2,
        image_uri=IMAGE,
        image_repository_arn="arn:aws:ecr:us-east-1:111122223333:repository/fraud",
        artifact_key="models/fraud/7/model.tar.gz",
        artifact_compression="Gzip",
        volume_size_gib=30,
        encrypt_volume_with_key=True,
        model_data_download_timeout_s=600,
        container_startup_health_check_timeout_s=300,
        foundation=foundation,
        environment_variables={"WORKERS": "2"},
    )


@pytest.fixture
def nvme_props(props: RealtimeEndpointProps) -> RealtimeEndpointProps:
    return replace(
        props,
        instance_type="ml.g5.xlarge",
        artifact_key="models/llm/3/",
        artifact_compression="None",
        volume_size_gib=None,
        encrypt_volume_with_key=False,
    )


def only(stack: Stack, resource_type: str) -> tuple[str, dict[str, Any]]:
    [(logical_id, resource)] = Template.from_stack(stack).find_resources(resource_type).items()
    return logical_id, resource["Properties"]


def unacknowledged(stack: Stack) -> list[tuple[str, str]]:
    packs = (AwsSolutionsChecks, HIPAASecurityChecks, NIST80053R5Checks, PCIDSS321Checks)
    return [
        (violation.rule_name, str(resource.construct_path))
        for pack in packs
        for violation in pack().validate_scope(stack).violations
        for resource in violation.violating_resources
    ]


def add_everything(stack: Stack, props: RealtimeEndpointProps) -> None:
    EndpointAlarms(
        stack,
        "Alarms",
        props=EndpointAlarmProps(
            endpoint_name=props.endpoint_name,
            variant_name=props.variant_name,
            thresholds=AlarmThresholds(max_5xx_error_rate_percent=1, max_p99_model_latency_ms=200),
            vcpu_count=2,
            alarm_topic_arn=props.foundation.alarm_topic_arn,
        ),
    )
    endpoint = RealtimeEndpoint(stack, "Endpoint", props=props)
    EndpointScaling(
        stack,
        "Scaling",
        props=EndpointScalingProps(
            endpoint=endpoint.endpoint,
            endpoint_name=props.endpoint_name,
            endpoint_config_name=endpoint.endpoint_config_name,
            handover_function_arn=props.foundation.scaling_handover_function_arn,
            variants=(
                VariantScaling(
                    variant_name=props.variant_name,
                    min_instance_count=2,
                    max_instance_count=4,
                    target_invocations_per_instance_per_minute=600,
                    scale_out_cooldown_s=60,
                    scale_in_cooldown_s=300,
                ),
            ),
        ),
    )


def test_the_model_is_isolated_in_the_private_subnets(stack: Stack, props: RealtimeEndpointProps) -> None:
    RealtimeEndpoint(stack, "Endpoint", props=props)

    role_id, _ = only(stack, "AWS::IAM::Role")
    assert only(stack, "AWS::SageMaker::Model")[1] == {
        "ExecutionRoleArn": {"Fn::GetAtt": [role_id, "Arn"]},
        "EnableNetworkIsolation": True,
        "VpcConfig": {
            "Subnets": ["subnet-0000000000000000a", "subnet-0000000000000000b"],
            "SecurityGroupIds": ["sg-0000000000000000e"],
        },
        "PrimaryContainer": {
            "Image": IMAGE,
            "Environment": {"WORKERS": "2"},
            "ModelDataSource": {
                "S3DataSource": {
                    "CompressionType": "Gzip",
                    "S3DataType": "S3Object",
                    "S3Uri": "s3://demo-dev-artifacts-111122223333-us-east-1/models/fraud/7/model.tar.gz",
                }
            },
        },
    }


@pytest.mark.parametrize(
    ("artifact_key", "data_type"), [("models/llm/3/", "S3Prefix"), ("models/llm/3/weights.gguf", "S3Object")]
)
def test_an_uncompressed_artifact_is_a_prefix_or_an_object(
    stack: Stack, nvme_props: RealtimeEndpointProps, artifact_key: str, data_type: str
) -> None:
    RealtimeEndpoint(stack, "Endpoint", props=replace(nvme_props, artifact_key=artifact_key))

    source = only(stack, "AWS::SageMaker::Model")[1]["PrimaryContainer"]["ModelDataSource"]["S3DataSource"]
    assert (source["CompressionType"], source["S3DataType"]) == ("None", data_type)


def test_an_ebs_volume_is_sized_and_encrypted_with_the_data_key(
    stack: Stack, props: RealtimeEndpointProps
) -> None:
    RealtimeEndpoint(stack, "Endpoint", props=props)

    model_id, _ = only(stack, "AWS::SageMaker::Model")
    assert only(stack, "AWS::SageMaker::EndpointConfig")[1] == {
        "KmsKeyId": props.foundation.data_key_arn,
        "ProductionVariants": [
            {
                "VariantName": "AllTraffic",
                "ModelName": {"Fn::GetAtt": [model_id, "ModelName"]},
                "InstanceType": "ml.m5.large",
                "InitialInstanceCount": 2,
                "InitialVariantWeight": 1,
                "VolumeSizeInGB": 30,
                "ModelDataDownloadTimeoutInSeconds": 600,
                "ContainerStartupHealthCheckTimeoutInSeconds": 300,
            }
        ],
    }


def test_local_nvme_storage_takes_neither_key_nor_size(
    stack: Stack, nvme_props: RealtimeEndpointProps
) -> None:
    RealtimeEndpoint(stack, "Endpoint", props=nvme_props)

    configuration = only(stack, "AWS::SageMaker::EndpointConfig")[1]
    assert "KmsKeyId" not in configuration
    assert "VolumeSizeInGB" not in configuration["ProductionVariants"][0]


def test_only_the_endpoint_has_a_name_of_its_own(stack: Stack, props: RealtimeEndpointProps) -> None:
    RealtimeEndpoint(stack, "Endpoint", props=props)

    configuration_id, configuration = only(stack, "AWS::SageMaker::EndpointConfig")
    assert "EndpointConfigName" not in configuration
    assert "ModelName" not in only(stack, "AWS::SageMaker::Model")[1]
    assert only(stack, "AWS::SageMaker::Endpoint")[1] == {
        "EndpointName": "fraud-dev",
        "EndpointConfigName": {"Fn::GetAtt": [configuration_id, "EndpointConfigName"]},
        "RetainAllVariantProperties": True,
    }


def test_an_endpoint_of_a_fixed_size_takes_the_size_of_a_new_configuration(
    stack: Stack, props: RealtimeEndpointProps
) -> None:
    RealtimeEndpoint(stack, "Endpoint", props=replace(props, retain_instance_count=False))

    assert only(stack, "AWS::SageMaker::Endpoint")[1]["RetainAllVariantProperties"] is False


def test_the_host_gets_the_driver_that_the_image_needs(stack: Stack, props: RealtimeEndpointProps) -> None:
    ami = "al2-ami-sagemaker-inference-gpu-3-1"
    RealtimeEndpoint(stack, "Endpoint", props=replace(props, inference_ami_version=ami))

    (variant,) = only(stack, "AWS::SageMaker::EndpointConfig")[1]["ProductionVariants"]
    assert variant["InferenceAmiVersion"] == ami


def test_instances_start_in_their_reservation_or_not_at_all(
    stack: Stack, props: RealtimeEndpointProps
) -> None:
    arn = "arn:aws:sagemaker:us-east-1:111122223333:ml-reservation/abc"
    RealtimeEndpoint(stack, "Endpoint", props=replace(props, capacity_reservation_arn=arn))

    (variant,) = only(stack, "AWS::SageMaker::EndpointConfig")[1]["ProductionVariants"]
    assert variant["CapacityReservationConfig"] == {
        "CapacityReservationPreference": "capacity-reservations-only",
        "MlReservationArn": arn,
    }


def test_logs_are_encrypted_and_expire_before_a_container_writes(
    stack: Stack, props: RealtimeEndpointProps
) -> None:
    RealtimeEndpoint(stack, "Endpoint", props=props)

    log_group_id, log_group = only(stack, "AWS::Logs::LogGroup")
    assert log_group["LogGroupName"] == f"/aws/sagemaker/Endpoints/{props.endpoint_name}"
    assert log_group["KmsKeyId"] == props.foundation.operations_key_arn
    assert log_group["RetentionInDays"] == props.log_retention_days
    (endpoint,) = Template.from_stack(stack).find_resources("AWS::SageMaker::Endpoint").values()
    assert log_group_id in endpoint["DependsOn"]


def test_logical_ids_of_an_endpoint_stay(stack: Stack, props: RealtimeEndpointProps) -> None:
    RealtimeEndpoint(stack, "Endpoint", props=props)

    assert only(stack, "AWS::SageMaker::Endpoint")[0] == "Endpoint8024A810"


@pytest.mark.parametrize("storage", ["props", "nvme_props"])
def test_endpoint_with_scaling_and_alarms_leaves_no_finding_open(
    stack: Stack, storage: str, request: pytest.FixtureRequest
) -> None:
    add_everything(stack, request.getfixturevalue(storage))

    assert unacknowledged(stack) == []


def test_the_missing_volume_key_is_acknowledged_only_where_it_is_missing(
    stack: Stack, nvme_props: RealtimeEndpointProps, monkeypatch: pytest.MonkeyPatch
) -> None:
    acknowledged: list[tuple[str, str]] = []

    def record(construct: Any, finding_ids: tuple[str, ...], _reason: str) -> None:
        acknowledged.extend((finding_id, construct.node.path) for finding_id in finding_ids)

    monkeypatch.setattr("constructs_lib.realtime_endpoint.acknowledge_all", record)

    RealtimeEndpoint(stack, "Endpoint", props=nvme_props)

    assert acknowledged == unacknowledged(stack)
    assert len(acknowledged) == 3


@pytest.mark.parametrize("storage", ["props", "nvme_props"])
def test_the_template_passes_the_validation_of_cdk_and_of_cfn_lint(
    app: App, stack: Stack, storage: str, request: pytest.FixtureRequest
) -> None:
    from cfnlint.api import lint  # type: ignore[import-untyped]
    from cfnlint.config import ManualArgs  # type: ignore[import-untyped]

    add_everything(stack, request.getfixturevalue(storage))

    template = app.synth().get_stack_by_name("Stack").template

    assert lint(json.dumps(template), config=ManualArgs(regions=["us-east-1"])) == []


def test_two_endpoints_fit_in_one_stack(stack: Stack, props: RealtimeEndpointProps) -> None:
    RealtimeEndpoint(stack, "First", props=props)
    RealtimeEndpoint(stack, "Second", props=replace(props, endpoint_name="fraud-two-dev"))

    Template.from_stack(stack).resource_count_is("AWS::SageMaker::Endpoint", 2)


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"endpoint_name": "fraud_dev"}, "endpoint_name takes up to 63 letters"),
        ({"endpoint_name": "fraud-dev-"}, "endpoint_name takes up to 63 letters"),
        ({"endpoint_name": "f" * 64}, "endpoint_name takes up to 63 letters"),
        ({"variant_name": ""}, "variant_name takes up to 63 letters"),
        ({"instance_type": "m5.large"}, "must be a SageMaker type such as ml.m5.large, got 'm5.large'"),
        ({"initial_instance_count": 0}, "initial_instance_count must be at least 1, got 0"),
        ({"model_data_download_timeout_s": 59}, "model_data_download_timeout_s must lie between 60 and 3600"),
        (
            {"container_startup_health_check_timeout_s": 3601},
            "container_startup_health_check_timeout_s must lie between 60 and 3600, got 3601",
        ),
        ({"volume_size_gib": 0}, "volume_size_gib must lie between 1 and 512, got 0"),
        ({"volume_size_gib": 513}, "volume_size_gib must lie between 1 and 512, got 513"),
        ({"encrypt_volume_with_key": False}, "volume_size_gib is for EBS volumes"),
        ({"artifact_key": ""}, "must be a plain key inside the artifact bucket"),
        ({"artifact_key": "/models/model.tar.gz"}, "must be a plain key inside the artifact bucket"),
        ({"artifact_key": "s3://bucket/model.tar.gz"}, "must be a plain key inside the artifact bucket"),
        ({"artifact_key": "models/*"}, "must be a plain key inside the artifact bucket"),
        ({"artifact_key": "models/fraud/"}, "one tar.gz object, not a prefix"),
    ],
)
def test_what_the_api_would_refuse_is_refused_before_the_kernel(
    props: RealtimeEndpointProps, overrides: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        replace(props, **overrides)
