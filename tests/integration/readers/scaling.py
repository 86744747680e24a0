"""Registered variants and their policies, as Application Auto Scaling describes them."""

from typing import Any

from tests.integration.readers.common import ClientFactory, Properties, picked, present, user_tags

NAMESPACE = "sagemaker"
DIMENSION = "sagemaker:variant:DesiredInstanceCount"
_KEYS = ("ResourceId", "ScalableDimension", "ServiceNamespace")


def read_target(client: ClientFactory, physical_id: str, properties: Properties) -> Properties:
    resource_id, dimension, namespace = physical_id.split("|")
    api = client("application-autoscaling")
    asked = {"ServiceNamespace": namespace, "ScalableDimension": dimension}
    (found,) = api.describe_scalable_targets(ResourceIds=[resource_id], **asked)["ScalableTargets"]
    tags = api.list_tags_for_resource(ResourceARN=found["ScalableTargetARN"])["Tags"]
    return picked(found, *_KEYS, "RoleARN", "SuspendedState") | {
        "MinCapacity": found["MinCapacity"],
        "MaxCapacity": found["MaxCapacity"],
        **present(Tags=user_tags(tags), ScheduledActions=_scheduled_actions(api, resource_id, asked)),
    }


def _scheduled_actions(api: Any, resource_id: str, asked: dict[str, str]) -> list[Properties]:
    pages = api.get_paginator("describe_scheduled_actions").paginate(ResourceId=resource_id, **asked)
    members = ("ScheduledActionName", "Schedule", "Timezone", "ScalableTargetAction")
    return [picked(action, *members) for page in pages for action in page["ScheduledActions"]]


def read_policy(client: ClientFactory, physical_id: str, properties: Properties) -> Properties:
    api = client("application-autoscaling")
    found = _with_arn(api, physical_id)
    return picked(
        found,
        "PolicyName",
        "PolicyType",
        "TargetTrackingScalingPolicyConfiguration",
        "StepScalingPolicyConfiguration",
        "PredictiveScalingPolicyConfiguration",
    ) | {"ScalingTargetId": "|".join(found[key] for key in _KEYS)}


def _with_arn(api: Any, arn: str) -> dict[str, Any]:
    """Return the policy of an ARN: the service is asked by name, and other variants have policies of the same one."""
    name = arn.rpartition(":policyName/")[2]
    namespace = "lambda" if ":resource/lambda/" in arn else NAMESPACE
    pages = api.get_paginator("describe_scaling_policies").paginate(
        ServiceNamespace=namespace, PolicyNames=[name]
    )
    (found,) = (one for page in pages for one in page["ScalingPolicies"] if one["PolicyARN"] == arn)
    return dict(found)
