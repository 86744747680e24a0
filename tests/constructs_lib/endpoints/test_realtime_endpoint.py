from dataclasses import replace
from typing import Any, Literal

import pytest
from aws_cdk import Stack
from aws_cdk.assertions import Template

from constructs_lib.alarms.endpoint_thresholds import AlarmThresholds
from constructs_lib.endpoints.endpoint_rollout import Rollout
from constructs_lib.endpoints.production_variant import ProductionVariant
from constructs_lib.endpoints.realtime_endpoint import RealtimeEndpoint, RealtimeEndpointProps
from constructs_lib.endpoints.serving_model import MultiModel
from tests.constructs_lib.judges import open_findings
from tests.constructs_lib.resources import Only

pytestmark = pytest.mark.cdk


@pytest.fixture
def props(props: RealtimeEndpointProps) -> RealtimeEndpointProps:
    return replace(props, volume_size_gib=30)


@pytest.fixture
def nvme_props(props: RealtimeEndpointProps) -> RealtimeEndpointProps:
    return replace(
        props,
        instance_type="ml.g5.xlarge",
        artifact_key="models/llm/3/",
        artifact_compression="None",
        volume_size_gib=None,
    )


@pytest.mark.parametrize(
    ("artifact_key", "data_type"), [("models/llm/3/", "S3Prefix"), ("models/llm/3/weights.gguf", "S3Object")]
)
def test_an_uncompressed_artifact_is_a_prefix_or_an_object(
    stack: Stack, only: Only, nvme_props: RealtimeEndpointProps, artifact_key: str, data_type: str
) -> None:
    RealtimeEndpoint(stack, "Endpoint", props=replace(nvme_props, artifact_key=artifact_key))

    source = only("AWS::SageMaker::Model")["PrimaryContainer"]["ModelDataSource"]["S3DataSource"]
    assert (source["CompressionType"], source["S3DataType"]) == ("None", data_type)


@pytest.mark.parametrize(
    ("changes", "takes_key"),
    [
        ({}, True),
        ({"instance_type": "ml.g5.xlarge", "volume_size_gib": None}, False),
        ({"instance_type": "ml.g5.xlarge", "encrypt_volume_with_key": True}, True),
        ({"encrypt_volume_with_key": False, "volume_size_gib": None}, False),
    ],
)
def test_the_volume_key_goes_by_the_type_unless_it_is_said(
    stack: Stack, only: Only, props: RealtimeEndpointProps, changes: dict[str, Any], takes_key: bool
) -> None:
    RealtimeEndpoint(stack, "Endpoint", props=replace(props, **changes))

    configuration = only("AWS::SageMaker::EndpointConfig")
    assert ("KmsKeyId" in configuration) is takes_key
    assert ("VolumeSizeInGB" in configuration["ProductionVariants"][0]) is takes_key
    assert {finding for _, finding in open_findings(stack)} == set(), "acknowledged where there is no key"


def test_instances_start_in_their_reservation_or_not_at_all(
    stack: Stack, only: Only, props: RealtimeEndpointProps
) -> None:
    arn = "arn:aws:sagemaker:us-east-1:111122223333:ml-reservation/abc"
    RealtimeEndpoint(stack, "Endpoint", props=replace(props, capacity_reservation_arn=arn))

    (variant,) = only("AWS::SageMaker::EndpointConfig")["ProductionVariants"]
    assert variant["CapacityReservationConfig"] == {
        "CapacityReservationPreference": "capacity-reservations-only",
        "MlReservationArn": arn,
    }


def watched_metrics(alarm: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the metrics of an alarm: itself, or those of its expression."""
    return [query["MetricStat"]["Metric"] for query in alarm.get("Metrics", [])[1:]] or [alarm]


@pytest.mark.parametrize("strategy", ["canary", "rolling"])
def test_alarms_call_a_new_fleet_back_and_the_role_may_look_at_them(
    stack: Stack, only: Only, props: RealtimeEndpointProps, strategy: Literal["canary", "rolling"]
) -> None:
    rollout = Rollout(
        strategy=strategy, first_share_percent=25, wait_interval_s=600, max_execution_timeout_s=3600
    )
    RealtimeEndpoint(stack, "Endpoint", props=replace(props, rollout=rollout)).add_alarms()

    deployment = only("AWS::SageMaker::Endpoint")["DeploymentConfig"]
    called = called_alarms(stack, deployment.pop("AutoRollbackConfiguration")["Alarms"])
    assert [watched_metrics(alarm)[0]["MetricName"] for alarm in called] == [
        "Invocation5XXErrors",
        "InvocationModelErrors",
    ]
    share, times = {"Type": "CAPACITY_PERCENT", "Value": 25}, {"MaximumExecutionTimeoutInSeconds": 3600}
    routing = {"Type": "CANARY", "CanarySize": share, "WaitIntervalInSeconds": 600}
    blue_green = {"TrafficRoutingConfiguration": routing, "TerminationWaitInSeconds": 600, **times}
    batches = {"MaximumBatchSize": share, "RollbackMaximumBatchSize": share}
    assert (
        deployment
        == {
            "canary": {"BlueGreenUpdatePolicy": blue_green},
            "rolling": {"RollingUpdatePolicy": {**batches, "WaitIntervalInSeconds": 600, **times}},
        }[strategy]
    )
    statements = only("AWS::IAM::ManagedPolicy")["PolicyDocument"]["Statement"]
    (watch,) = (statement for statement in statements if statement["Action"] == "cloudwatch:DescribeAlarms")
    prefixes = {text["Fn::Sub"].rpartition(":")[2].removesuffix("*") for text in watch["Resource"]}
    assert {alarm["AlarmName"]["Fn::Join"][1][0] for alarm in called} <= prefixes


def test_a_broken_fleet_does_not_call_the_one_back_that_mends_it(
    stack: Stack, only: Only, props: RealtimeEndpointProps
) -> None:
    rollout = Rollout(strategy="all-at-once", wait_interval_s=600, max_execution_timeout_s=3600)
    RealtimeEndpoint(stack, "Endpoint", props=replace(props, rollout=rollout)).add_alarms()

    deployment = only("AWS::SageMaker::Endpoint")["DeploymentConfig"]
    called = called_alarms(stack, deployment["AutoRollbackConfiguration"]["Alarms"])
    assert len(called) == 2
    (configuration,) = Template.from_stack(stack).find_resources("AWS::SageMaker::EndpointConfig")
    name = {"Fn::GetAtt": [configuration, "EndpointConfigName"]}
    for alarm in called:
        # People hear of the alarm on the whole variant.
        assert "AlarmActions" not in alarm
        # A new alarm for each configuration: one that is updated keeps its state (API reference, PutMetricAlarm).
        assert alarm["AlarmName"]["Fn::Join"][1][-1] == name
        for metric in watched_metrics(alarm):
            assert {dimension["Name"]: dimension["Value"] for dimension in metric["Dimensions"]} == {
                "EndpointName": props.endpoint_name,
                "VariantName": props.variant_name,
                "EndpointConfigName": name,
            }


def test_more_alarms_than_sagemaker_watches_are_refused(stack: Stack, props: RealtimeEndpointProps) -> None:
    rollout = Rollout(strategy="all-at-once", wait_interval_s=600, max_execution_timeout_s=3600)
    names = [f"other-{number}" for number in range(5)]
    others = [
        ProductionVariant(
            variant_name=name,
            instance_type=props.instance_type,
            image_uri=props.image_uri,
            artifact_key=props.artifact_key,
        )
        for name in names
    ]
    endpoint = RealtimeEndpoint(
        stack, "Endpoint", props=replace(props, rollout=rollout, other_variants=others)
    )
    thresholds = AlarmThresholds(max_5xx_error_rate_percent=1, max_model_error_rate_percent=1)
    for name in names:
        endpoint.roll_back_on(name, thresholds)
    with pytest.raises(ValueError, match="SageMaker watches 10 alarms at most, got 12"):
        endpoint.roll_back_on(props.variant_name, thresholds)


@pytest.mark.parametrize(
    ("routing", "expected"),
    [
        ({}, {"RoutingStrategy": "LEAST_OUTSTANDING_REQUESTS"}),
        ({"routing": "random"}, {"RoutingStrategy": "RANDOM"}),
        ({"routing": None}, None),
        ({"multi_model": MultiModel(), "artifact_key": "models/"}, None),
    ],
)
def test_requests_go_to_the_instance_with_the_fewest(
    stack: Stack,
    only: Only,
    props: RealtimeEndpointProps,
    routing: dict[str, Any],
    expected: dict[str, str] | None,
) -> None:
    RealtimeEndpoint(stack, "Endpoint", props=replace(props, **routing))
    (variant,) = only("AWS::SageMaker::EndpointConfig")["ProductionVariants"]
    assert variant.get("RoutingConfig") == expected


def test_detailed_metrics_are_those_of_sagemaker_unless_they_are_off(
    stack: Stack, props: RealtimeEndpointProps
) -> None:
    RealtimeEndpoint(stack, "On", props=props)
    off = replace(props, endpoint_name="other", detailed_metrics=False)
    RealtimeEndpoint(stack, "Off", props=off)
    found = Template.from_stack(stack).find_resources("AWS::SageMaker::EndpointConfig").values()
    assert [configuration["Properties"].get("MetricsConfig") for configuration in found] == [
        None,
        {"EnableDetailedObservability": False},
    ]


def called_alarms(stack: Stack, called: list[dict[str, Any]]) -> list[dict[str, Any]]:
    resources = Template.from_stack(stack).to_json()["Resources"]
    return [resources[alarm["AlarmName"]["Ref"]]["Properties"] for alarm in called]


def test_the_log_group_is_there_before_a_container_writes(stack: Stack, props: RealtimeEndpointProps) -> None:
    endpoint = RealtimeEndpoint(stack, "Endpoint", props=props).endpoint

    depends_on = {dependency.node.id for dependency in endpoint.obtain_dependencies()}
    assert depends_on == {"LogGroup"}


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


def test_without_capacity_the_next_pool_is_taken(
    stack: Stack, only: Only, props: RealtimeEndpointProps
) -> None:
    pools = ("ml.m5.large", "ml.m5.xlarge", "ml.c5.xlarge")
    endpoint = replace(props, instance_pools=pools, instance_provision_timeout_s=600)
    RealtimeEndpoint(stack, "Endpoint", props=endpoint)

    (variant,) = only("AWS::SageMaker::EndpointConfig")["ProductionVariants"]
    assert "InstanceType" not in variant
    assert [(pool["Priority"], pool["InstanceType"]) for pool in variant["InstancePools"]] == [
        (1, "ml.m5.large"),
        (2, "ml.m5.xlarge"),
        (3, "ml.c5.xlarge"),
    ]
    assert variant["VariantInstanceProvisionTimeoutInSeconds"] == 600
    assert variant["RoutingConfig"] == {"RoutingStrategy": "LEAST_OUTSTANDING_REQUESTS"}
    assert variant["InitialInstanceCount"] == 2
    assert not open_findings(stack)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"instance_pools": ("ml.m5.xlarge", "ml.m5.large")}, "ml.m5.large first and each once"),
        ({"instance_pools": ("ml.m5.large",)}, "are 2 to 5 types"),
        ({"instance_pools": ("ml.m5.large", "ml.m5d.large")}, "local NVMe storage all or none"),
        (
            {"instance_pools": ("ml.m5.large", "ml.m5.xlarge"), "instance_provision_timeout_s": 299},
            "instance_provision_timeout_s must lie between 300 and 3600, got 299",
        ),
        (
            {
                "instance_pools": ("ml.m5.large", "ml.m5.xlarge"),
                "capacity_reservation_arn": "arn:aws:sagemaker:us-east-1:111122223333:ml-reservation/abc",
            },
            "goes with no instance_pools",
        ),
    ],
)
def test_pools_that_the_api_refuses_are_refused(
    props: RealtimeEndpointProps, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        replace(props, **changes)
