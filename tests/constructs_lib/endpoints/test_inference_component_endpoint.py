"""An endpoint of inference components, as CloudFormation gets it."""

from dataclasses import replace
from typing import Any

import pytest
from aws_cdk import Stack

from constructs_lib.endpoints.inference_component import (
    ComponentRollout,
    CopyScaling,
    InferenceComponentProps,
    ScheduledCopies,
)
from constructs_lib.endpoints.inference_component_endpoint import (
    InferenceComponentEndpoint,
    InferenceComponentEndpointProps,
)
from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.scaling.scaling_policies import ScalingMetric, ScalingStep, StepScaling, TargetTracking
from tests.constructs_lib.judges import open_findings
from tests.constructs_lib.resources import Only, Resources, statements_by_sid

pytestmark = pytest.mark.cdk

TRACK = TargetTracking(
    name="InvocationsPerCopy", metric="SageMakerInferenceComponentInvocationsPerCopy", target_value=90
)
WAKE = StepScaling(
    name="WakeFromZero",
    metric=ScalingMetric(
        namespace="AWS/SageMaker",
        name="NoCapacityInvocationFailures",
        statistic="Maximum",
        dimensions={"InferenceComponentName": "desk-dev--guard"},
    ),
    comparison="GreaterThanOrEqualToThreshold",
    threshold=1,
    steps=(ScalingStep(adjustment=1, lower_bound=0),),
    cooldown_s=60,
)
CHAT = InferenceComponentProps(
    component_name="desk-dev--chat",
    image_uri="111122223333.dkr.ecr.us-east-1.amazonaws.com/chat@sha256:" + "0" * 64,
    artifact_key="models/chat/",
    artifact_compression="None",
    memory_mib=20_000,
    accelerator_count=2,
    cpu_cores=8,
    copy_count=2,
    startup_timeout_s=600,
    scaling=CopyScaling(min_copy_count=2, max_copy_count=6, policies=(TRACK,)),
    rollout=ComponentRollout(share_percent=50, wait_interval_s=300, max_execution_timeout_s=3600),
)
GUARD = InferenceComponentProps(
    component_name="desk-dev--guard",
    image_uri="111122223333.dkr.ecr.us-east-1.amazonaws.com/guard@sha256:" + "0" * 64,
    artifact_key="models/guard/model.tar.gz",
    memory_mib=2_000,
    cpu_cores=1.7,
    scaling=CopyScaling(min_copy_count=0, max_copy_count=3, policies=(TRACK, WAKE)),
)


@pytest.fixture
def props(foundation: FoundationReferences) -> InferenceComponentEndpointProps:
    return InferenceComponentEndpointProps(
        endpoint_name="desk-dev",
        instance_type="ml.m5.2xlarge",
        components={"chat": CHAT, "guard": GUARD},
        min_instance_count=2,
        max_instance_count=8,
        foundation=foundation,
    )


def by_name(found: dict[str, dict[str, Any]], key: str) -> dict[str, dict[str, Any]]:
    return {resource[key]: resource for resource in found.values()}


def test_the_fleet_has_no_model_and_grows_with_the_copies(
    stack: Stack, only: Only, props: InferenceComponentEndpointProps
) -> None:
    InferenceComponentEndpoint(stack, "Endpoint", props=props)

    configuration = only("AWS::SageMaker::EndpointConfig")
    assert configuration["EnableNetworkIsolation"] is True
    assert configuration["KmsKeyId"] == props.foundation.data_key_arn
    assert configuration["VpcConfig"] == {
        "SecurityGroupIds": ["sg-0000000000000000e"],
        "Subnets": ["subnet-0000000000000000a", "subnet-0000000000000000b"],
    }
    assert "Fn::GetAtt" in configuration["ExecutionRoleArn"]
    assert configuration["ProductionVariants"] == [
        {
            "VariantName": "AllTraffic",
            "InstanceType": "ml.m5.2xlarge",
            "InitialInstanceCount": 1,
            "ManagedInstanceScaling": {"Status": "ENABLED", "MinInstanceCount": 2, "MaxInstanceCount": 8},
            "RoutingConfig": {"RoutingStrategy": "LEAST_OUTSTANDING_REQUESTS"},
        }
    ]
    assert open_findings(stack) == set()


def test_each_component_reserves_its_share_and_is_rolled_back_by_its_own_alarms(
    stack: Stack, resources: Resources, props: InferenceComponentEndpointProps
) -> None:
    InferenceComponentEndpoint(stack, "Endpoint", props=props)

    components = by_name(resources("AWS::SageMaker::InferenceComponent"), "InferenceComponentName")
    chat, guard = components["desk-dev--chat"], components["desk-dev--guard"]
    specification = chat["Specification"]
    assert specification["ComputeResourceRequirements"] == {
        "MinMemoryRequiredInMb": 20_000,
        "NumberOfAcceleratorDevicesRequired": 2,
    }
    assert specification["StartupParameters"] == {
        "ContainerStartupHealthCheckTimeoutInSeconds": 600,
        "ModelDataDownloadTimeoutInSeconds": 600,
    }
    assert "Fn::GetAtt" in specification["ModelName"]
    assert (chat["RuntimeConfig"], chat["VariantName"]) == ({"CopyCount": 2}, "AllTraffic")
    assert chat["DeploymentConfig"]["RollingUpdatePolicy"] == {
        "MaximumBatchSize": {"Type": "CAPACITY_PERCENT", "Value": 50},
        "RollbackMaximumBatchSize": {"Type": "CAPACITY_PERCENT", "Value": 50},
        "WaitIntervalInSeconds": 300,
        "MaximumExecutionTimeoutInSeconds": 3600,
    }
    alarms = resources("AWS::CloudWatch::Alarm")
    called = [
        alarms[alarm["AlarmName"]["Ref"]]["AlarmName"]
        for alarm in chat["DeploymentConfig"]["AutoRollbackConfiguration"]["Alarms"]
    ]
    assert called == ["desk-dev--chat-ServerErrorRate-Rollback", "desk-dev--chat-ModelErrorRate-Rollback"]
    assert guard["Specification"]["ComputeResourceRequirements"] == {
        "MinMemoryRequiredInMb": 2_000,
        "NumberOfCpuCoresRequired": 1.7,
    }
    assert "DeploymentConfig" not in guard


def test_copies_scale_each_by_its_own_name_and_wake_from_zero(
    stack: Stack, resources: Resources, props: InferenceComponentEndpointProps
) -> None:
    InferenceComponentEndpoint(stack, "Endpoint", props=props)

    targets = by_name(resources("AWS::ApplicationAutoScaling::ScalableTarget"), "ResourceId")
    assert targets == {
        f"inference-component/{name}": {
            "MinCapacity": least,
            "MaxCapacity": most,
            "ResourceId": f"inference-component/{name}",
            "ScalableDimension": "sagemaker:inference-component:DesiredCopyCount",
            "ServiceNamespace": "sagemaker",
        }
        for name, least, most in (("desk-dev--chat", 2, 6), ("desk-dev--guard", 0, 3))
    }
    policies = resources("AWS::ApplicationAutoScaling::ScalingPolicy")
    assert sorted(policy["PolicyName"] for policy in policies.values()) == [
        "InvocationsPerCopy",
        "InvocationsPerCopy",
        "WakeFromZero",
    ]
    wake = by_name(resources("AWS::CloudWatch::Alarm"), "AlarmName")["desk-dev--guard-WakeFromZero"]
    assert (wake["Namespace"], wake["MetricName"]) == ("AWS/SageMaker", "NoCapacityInvocationFailures")
    assert wake["Dimensions"] == [{"Name": "InferenceComponentName", "Value": "desk-dev--guard"}]
    (action,) = wake["AlarmActions"]
    assert policies[action["Ref"]]["PolicyType"] == "StepScaling"


def test_alarms_are_of_the_component_or_of_the_fleet(
    stack: Stack, resources: Resources, props: InferenceComponentEndpointProps
) -> None:
    InferenceComponentEndpoint(stack, "Endpoint", props=props)

    alarms = by_name(resources("AWS::CloudWatch::Alarm"), "AlarmName")
    error = alarms["desk-dev--chat-ServerErrorRate"]
    assert error["Threshold"] == 1
    assert [query["MetricStat"]["Metric"] for query in error["Metrics"][1:]] == [
        {
            "Namespace": "AWS/SageMaker",
            "MetricName": name,
            "Dimensions": [{"Name": "InferenceComponentName", "Value": "desk-dev--chat"}],
        }
        for name in ("Invocation5XXErrors", "Invocations")
    ]
    memory = alarms["desk-dev-AllTraffic-MemoryUtilization"]
    assert memory["Namespace"] == "/aws/sagemaker/Endpoints"
    assert memory["Dimensions"] == [
        {"Name": "EndpointName", "Value": "desk-dev"},
        {"Name": "VariantName", "Value": "AllTraffic"},
    ]
    assert memory["InsufficientDataActions"] == [props.foundation.alarm_topic_arn]


def test_one_role_reads_what_the_components_read_and_writes_their_logs(
    stack: Stack, only: Only, resources: Resources, props: InferenceComponentEndpointProps
) -> None:
    InferenceComponentEndpoint(stack, "Endpoint", props=props)

    statements = statements_by_sid(only)
    bucket = ":s3:::demo-dev-artifacts-111122223333-us-east-1/"
    assert statements["ReadArtifact"]["Resource"] == [
        {"Fn::Join": ["", ["arn:", {"Ref": "AWS::Partition"}, f"{bucket}{key}"]]}
        for key in ("models/chat/*", "models/guard/model.tar.gz")
    ]
    assert statements["ListArtifact"]["Condition"] == {
        "StringLike": {"s3:prefix": ["models/chat/*", "models/guard/model.tar.gz"]}
    }
    assert [arn.rpartition("/")[2] for arn in statements["PullImage"]["Resource"]] == [
        "chat",
        "guard",
    ]
    logs = [arn["Fn::Sub"].partition("log-group:")[2] for arn in statements["WriteLogs"]["Resource"]]
    assert logs == [
        "/aws/sagemaker/Endpoints/desk-dev:*",
        "/aws/sagemaker/InferenceComponents/desk-dev--*:*",
    ]
    (alarm,) = statements["WatchDeployment"]["Resource"]
    assert alarm["Fn::Sub"].endswith(":alarm:desk-dev--*")
    groups = {log_group["LogGroupName"] for log_group in resources("AWS::Logs::LogGroup").values()}
    assert groups == {
        "/aws/sagemaker/Endpoints/desk-dev",
        "/aws/sagemaker/InferenceComponents/desk-dev--chat",
        "/aws/sagemaker/InferenceComponents/desk-dev--guard",
    }


def test_what_sleeps_needs_somebody_to_wake_it() -> None:
    with pytest.raises(ValueError, match="no step policy wakes them"):
        CopyScaling(min_copy_count=0, max_copy_count=3, policies=(TRACK,))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"min_instance_count": 0}, "no instance may be there, but copies always are: chat"),
        ({"max_instance_count": 1}, "min_instance_count <= max_instance_count"),
        ({"endpoint_name": "other"}, "names of components begin with other--"),
    ],
)
def test_a_fleet_that_the_api_would_refuse(
    props: InferenceComponentEndpointProps, changes: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        replace(props, **changes)


@pytest.mark.parametrize("changes", [{"memory_mib": 100}, {"cpu_cores": 0.1}, {"artifact_key": "a*"}])
def test_a_component_that_the_api_would_refuse(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(changes))):
        replace(GUARD, **changes)


STOP = ScheduledCopies(
    name="stop",
    schedule="cron(0 20 ? * MON-FRI *)",
    time_zone="Europe/Berlin",
    min_copy_count=0,
    max_copy_count=0,
)
START = replace(STOP, name="start", schedule="cron(0 7 ? * MON-FRI *)", min_copy_count=1, max_copy_count=3)


def test_the_clock_stops_all_copies_and_starts_them_again(
    stack: Stack, props: InferenceComponentEndpointProps, resources: Resources
) -> None:
    scaling = CopyScaling(
        min_copy_count=1, max_copy_count=3, policies=(TRACK,), scheduled_actions=(START, STOP)
    )
    by_clock = replace(props, components={"chat": replace(CHAT, scaling=scaling)})
    InferenceComponentEndpoint(stack, "Endpoint", props=replace(by_clock, min_instance_count=0))

    (target,) = resources("AWS::ApplicationAutoScaling::ScalableTarget").values()
    assert target["ScalableDimension"] == "sagemaker:inference-component:DesiredCopyCount"
    assert target["ScheduledActions"] == [
        {
            "ScheduledActionName": name,
            "Schedule": schedule,
            "Timezone": "Europe/Berlin",
            "ScalableTargetAction": {"MinCapacity": least, "MaxCapacity": most},
        }
        for name, schedule, least, most in (
            ("start", "cron(0 7 ? * MON-FRI *)", 1, 3),
            ("stop", "cron(0 20 ? * MON-FRI *)", 0, 0),
        )
    ]


def test_a_clock_that_only_stops_is_refused() -> None:
    with pytest.raises(ValueError, match="none lets them come back"):
        CopyScaling(min_copy_count=1, max_copy_count=3, policies=(TRACK,), scheduled_actions=(STOP,))
    with pytest.raises(ValueError, match="need 0 <= min_copy_count <= max_copy_count"):
        replace(STOP, min_copy_count=1)
