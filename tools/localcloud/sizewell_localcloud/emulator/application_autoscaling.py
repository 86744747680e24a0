"""Application Auto Scaling: scalable targets, policies and scheduled actions; nothing scales by itself here."""

import copy
import secrets
import uuid
from types import ModuleType
from typing import Any

from sizewell_localcloud.emulator import clock, scalable_targets
from sizewell_localcloud.emulator.account import arn
from sizewell_localcloud.emulator.ecs import scalable_services
from sizewell_localcloud.emulator.errors import AwsError, ValidationError
from sizewell_localcloud.emulator.json_service import JsonService
from sizewell_localcloud.emulator.sagemaker import scalable_variants
from sizewell_localcloud.emulator.scalable_targets import Key
from sizewell_localcloud.emulator.scaling_policies import check_policy, predefined_metric

#: What each service says of its own targets. Those of other services are taken as they are.
_NAMESPACES = {"sagemaker": scalable_variants, "ecs": scalable_services}


def _key(request: dict[str, Any]) -> Key:
    return (request["ServiceNamespace"], request["ResourceId"], request["ScalableDimension"])


def register_scalable_target(request: dict[str, Any]) -> dict[str, Any]:
    """RegisterScalableTarget: makes a target, or changes the named members of one."""
    key = _key(request)
    with scalable_targets.lock:
        known = scalable_targets.targets.get(key)
        low = request.get("MinCapacity", (known or {}).get("MinCapacity"))
        high = request.get("MaxCapacity", (known or {}).get("MaxCapacity"))
        if low is None or high is None:
            raise ValidationError("MinCapacity and MaxCapacity are required for a new scalable target")
        if low > high:
            raise ValidationError("Maximum capacity cannot be less than minimum capacity")
        service = _NAMESPACES.get(key[0])
        if service is not None:
            service.check_target(key, low)
        target = known or {
            "ServiceNamespace": key[0],
            "ResourceId": key[1],
            "ScalableDimension": key[2],
            "CreationTime": clock.now(),
            "ScalableTargetARN": arn("application-autoscaling", f"scalable-target/{secrets.token_hex(17)}"),
            "_policy_id": str(uuid.uuid4()),
            "_tags": request.get("Tags", {}),
            "SuspendedState": {
                "DynamicScalingInSuspended": False,
                "DynamicScalingOutSuspended": False,
                "ScheduledScalingSuspended": False,
            },
        }
        target |= {
            "MinCapacity": low,
            "MaxCapacity": high,
            "RoleARN": request.get("RoleARN") or _service_linked_role(service or scalable_variants),
        }
        target["SuspendedState"] = target["SuspendedState"] | request.get("SuspendedState", {})
        scalable_targets.targets[key] = target
    if service is not None:
        service.bring_into_bounds(key, low, high)
    return {"ScalableTargetARN": target["ScalableTargetARN"]}


def _service_linked_role(service: ModuleType) -> str:
    account = arn("iam", "").split(":")[4]
    return f"arn:aws:iam::{account}:role/aws-service-role/{service.SERVICE_LINKED_ROLE}"


def deregister_scalable_target(request: dict[str, Any]) -> None:
    """DeregisterScalableTarget: takes policies and scheduled actions along."""
    key = _key(request)
    with scalable_targets.lock:
        _require_target(key)
        scalable_targets.forget(key)


def _require_target(key: Key) -> dict[str, Any]:
    target: dict[str, Any] | None = scalable_targets.targets.get(key)
    if target is None:
        raise AwsError(
            "ObjectNotFoundException",
            f"No scalable target found for service namespace: {key[0]}, resource ID: {key[1]}, "
            f"scalable dimension: {key[2]}",
        )
    return target


def _found(table: Any, request: dict[str, Any]) -> list[dict[str, Any]]:
    """Return copies of what a table holds of the namespace."""
    with scalable_targets.lock:
        return [
            copy.deepcopy(record)
            for key, record in sorted(table.items(), key=lambda item: item[0])
            if key[0] == request["ServiceNamespace"]
        ]


def describe_scalable_targets(request: dict[str, Any]) -> dict[str, Any]:
    """DescribeScalableTargets."""
    found = _found(scalable_targets.targets, request)
    if "ResourceIds" in request:
        found = [target for target in found if target["ResourceId"] in request["ResourceIds"]]
    if "ScalableDimension" in request:
        found = [target for target in found if target["ScalableDimension"] == request["ScalableDimension"]]
    return {"ScalableTargets": found}


def put_scaling_policy(request: dict[str, Any]) -> dict[str, Any]:
    """PutScalingPolicy: the type and its configuration must be of one kind."""
    key = _key(request)
    with scalable_targets.lock:
        target = _require_target(key)
        policy_key = (*key, request["PolicyName"])
        known = scalable_targets.policies.get(policy_key)
        kind = request.get("PolicyType", (known or {}).get("PolicyType", "StepScaling"))
        check_policy(kind, request)
        metric = predefined_metric(request)
        if metric is not None and key[0] in _NAMESPACES:
            _NAMESPACES[key[0]].check_metric(key, metric)
        name = request["PolicyName"]
        policy_arn = arn(
            "autoscaling",
            f"scalingPolicy:{target['_policy_id']}:resource/{key[0]}/{key[1]}:policyName/{name}",
        )
        alarms = []
        if kind == "TargetTrackingScaling":
            alarms = [
                {"AlarmName": alarm, "AlarmARN": arn("cloudwatch", f"alarm:{alarm}")}
                for alarm in (
                    f"TargetTracking-{key[1]}-Alarm{level}-{target['_policy_id']}"
                    for level in ("High", "Low")
                )
            ]
        scalable_targets.policies[policy_key] = {
            "PolicyARN": policy_arn,
            "PolicyName": name,
            "PolicyType": kind,
            "ServiceNamespace": key[0],
            "ResourceId": key[1],
            "ScalableDimension": key[2],
            "CreationTime": (known or {}).get("CreationTime", clock.now()),
            "Alarms": alarms,
        } | {k: v for k, v in request.items() if k.endswith("PolicyConfiguration")}
    return {"PolicyARN": policy_arn, "Alarms": alarms}


def delete_scaling_policy(request: dict[str, Any]) -> None:
    """DeleteScalingPolicy."""
    with scalable_targets.lock:
        policy = scalable_targets.policies.pop((*_key(request), request["PolicyName"]), None)
    if policy is None:
        raise AwsError(
            "ObjectNotFoundException", f"No scaling policy found with the name {request['PolicyName']}"
        )


def describe_scaling_policies(request: dict[str, Any]) -> dict[str, Any]:
    """DescribeScalingPolicies."""
    found = _found(scalable_targets.policies, request)
    for member, field in (("ResourceId", "ResourceId"), ("ScalableDimension", "ScalableDimension")):
        if member in request:
            found = [policy for policy in found if policy[field] == request[member]]
    if "PolicyNames" in request:
        found = [policy for policy in found if policy["PolicyName"] in request["PolicyNames"]]
    return {"ScalingPolicies": found}


def put_scheduled_action(request: dict[str, Any]) -> None:
    """PutScheduledAction."""
    key = _key(request)
    name = request["ScheduledActionName"]
    with scalable_targets.lock:
        _require_target(key)
        scalable_targets.actions[(*key, name)] = {
            **request,
            "CreationTime": clock.now(),
            "ScheduledActionARN": arn("autoscaling", f"scheduledAction:{name}"),
        }


def delete_scheduled_action(request: dict[str, Any]) -> None:
    """DeleteScheduledAction."""
    with scalable_targets.lock:
        action = scalable_targets.actions.pop((*_key(request), request["ScheduledActionName"]), None)
    if action is None:
        raise AwsError(
            "ObjectNotFoundException",
            f"No scheduled action found with the name {request['ScheduledActionName']}",
        )


def describe_scheduled_actions(request: dict[str, Any]) -> dict[str, Any]:
    """DescribeScheduledActions."""
    found = _found(scalable_targets.actions, request)
    if "ResourceId" in request:
        found = [action for action in found if action["ResourceId"] == request["ResourceId"]]
    return {"ScheduledActions": found}


def _tags_of(request: dict[str, Any]) -> dict[str, str]:
    for target in scalable_targets.targets.values():
        if target["ScalableTargetARN"] == request["ResourceARN"]:
            tags: dict[str, str] = target["_tags"]
            return tags
    raise AwsError("ResourceNotFoundException", f"No scalable target found for ARN: {request['ResourceARN']}")


def list_tags_for_resource(request: dict[str, Any]) -> dict[str, Any]:
    """ListTagsForResource."""
    with scalable_targets.lock:
        return {"Tags": dict(_tags_of(request))}


def tag_resource(request: dict[str, Any]) -> None:
    """TagResource."""
    with scalable_targets.lock:
        _tags_of(request).update(request["Tags"])


def untag_resource(request: dict[str, Any]) -> None:
    """UntagResource."""
    with scalable_targets.lock:
        for key in request["TagKeys"]:
            _tags_of(request).pop(key, None)


APPLICATION_AUTOSCALING = JsonService(
    "application-autoscaling",
    {
        "RegisterScalableTarget": register_scalable_target,
        "DeregisterScalableTarget": deregister_scalable_target,
        "DescribeScalableTargets": describe_scalable_targets,
        "PutScalingPolicy": put_scaling_policy,
        "DeleteScalingPolicy": delete_scaling_policy,
        "DescribeScalingPolicies": describe_scaling_policies,
        "PutScheduledAction": put_scheduled_action,
        "DeleteScheduledAction": delete_scheduled_action,
        "DescribeScheduledActions": describe_scheduled_actions,
        "ListTagsForResource": list_tags_for_resource,
        "TagResource": tag_resource,
        "UntagResource": untag_resource,
    },
)
