"""What the plan says of endpoints: models, configurations and scaling, in the words of the services."""

from sizewell.planning.endpoint_plan_model import EndpointPlan
from sizewell.planning.scaling_policies import TargetTrackingPlan
from tests.integration.readers.common import Properties, present
from tests.integration.readers.plan_foundation import Foundation
from tests.integration.readers.scaling import DIMENSION, NAMESPACE

COMPRESSION = {"gzip": "Gzip", "none": "None"}
#: By the name of the policy: https://docs.aws.amazon.com/sagemaker/latest/dg/endpoint-auto-scaling-add-code-define.html
SCALING_METRICS = {
    "InvocationsPerInstance": "SageMakerVariantInvocationsPerInstance",
    "ConcurrentRequestsPerModel": "SageMakerVariantConcurrentRequestsPerModelHighResolution",
}


def endpoint_config(plan: EndpointPlan, model_name: str, foundation: Foundation) -> Properties:
    variant = present(
        VariantName=plan.variant_name,
        ModelName=model_name,
        InstanceType=plan.instance_type,
        InitialInstanceCount=plan.initial_instance_count,
        InitialVariantWeight=1,
        RoutingConfig={"RoutingStrategy": "LEAST_OUTSTANDING_REQUESTS"},
        VolumeSizeInGB=plan.volume_size_gib,
        InferenceAmiVersion=plan.inference_ami_version,
        CapacityReservationConfig=_reservation(plan.capacity_reservation_arn),
        ModelDataDownloadTimeoutInSeconds=plan.model_data_download_timeout_s,
        ContainerStartupHealthCheckTimeoutInSeconds=plan.container_startup_health_check_timeout_s,
    )
    key = foundation.data_key_arn if plan.encrypt_volume_with_key else None
    return present(ProductionVariants=[variant], KmsKeyId=key)


def _reservation(arn: str | None) -> Properties:
    only = "capacity-reservations-only"
    return {} if arn is None else {"CapacityReservationPreference": only, "MlReservationArn": arn}


def model(plan: EndpointPlan, role_arn: str, foundation: Foundation) -> Properties:
    artifact = {
        "S3Uri": f"s3://{foundation.plan.artifact_bucket_name}/{plan.artifact_key}",
        "S3DataType": "S3Prefix" if plan.artifact_key.endswith("/") else "S3Object",
        "CompressionType": COMPRESSION[plan.artifact_compression],
    }
    return {
        "ExecutionRoleArn": role_arn,
        "EnableNetworkIsolation": plan.network_isolation,
        "PrimaryContainer": present(
            Image=plan.image.uri, Environment=plan.environment, ModelDataSource={"S3DataSource": artifact}
        ),
        "VpcConfig": {
            "Subnets": foundation.subnet_ids,
            "SecurityGroupIds": [foundation.group_id("endpoint")],
        },
    }


def resource_id(plan: EndpointPlan) -> str:
    """Return what Application Auto Scaling calls the variant."""
    return f"endpoint/{plan.endpoint_name}/variant/{plan.variant_name}"


def scalable_target(plan: EndpointPlan) -> Properties:
    assert plan.scaling is not None
    return {
        "ServiceNamespace": NAMESPACE,
        "ResourceId": resource_id(plan),
        "ScalableDimension": DIMENSION,
        "MinCapacity": plan.scaling.min_instance_count,
        "MaxCapacity": plan.scaling.max_instance_count,
        "SuspendedState": {
            "DynamicScalingInSuspended": False,
            "DynamicScalingOutSuspended": False,
            "ScheduledScalingSuspended": False,
        },
    }


def scheduled_actions(plan: EndpointPlan) -> list[Properties]:
    assert plan.scaling is not None
    return [
        {
            "ServiceNamespace": NAMESPACE,
            "ResourceId": resource_id(plan),
            "ScalableDimension": DIMENSION,
            "ScheduledActionName": action.name,
            "Schedule": action.schedule,
            "Timezone": action.time_zone,
            "ScalableTargetAction": {
                "MinCapacity": action.min_instance_count,
                "MaxCapacity": action.max_instance_count,
            },
        }
        for action in plan.scaling.scheduled_actions
    ]


def scaling_policy(plan: EndpointPlan) -> Properties:
    assert plan.scaling is not None
    (policy,) = plan.scaling.policies
    assert isinstance(policy, TargetTrackingPlan)
    return {
        "ServiceNamespace": NAMESPACE,
        "ResourceId": resource_id(plan),
        "ScalableDimension": DIMENSION,
        "PolicyType": "TargetTrackingScaling",
        "TargetTrackingScalingPolicyConfiguration": {
            "PredefinedMetricSpecification": {"PredefinedMetricType": SCALING_METRICS[policy.name]},
            "TargetValue": policy.target_value,
            "ScaleOutCooldown": policy.scale_out_cooldown_s,
            "ScaleInCooldown": policy.scale_in_cooldown_s,
        },
    }
