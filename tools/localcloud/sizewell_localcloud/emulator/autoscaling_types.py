"""Application Auto Scaling's CloudFormation types."""

import re
from typing import Any

from sizewell_localcloud.emulator.application_autoscaling import APPLICATION_AUTOSCALING
from sizewell_localcloud.emulator.cloudformation import Created
from sizewell_localcloud.emulator.errors import AwsError
from sizewell_localcloud.emulator.resource_schemas import Properties

_KEYS = ("ServiceNamespace", "ResourceId", "ScalableDimension")


def _key(physical_id: str) -> dict[str, str]:
    resource_id, dimension, namespace = physical_id.split("|")
    return {"ServiceNamespace": namespace, "ResourceId": resource_id, "ScalableDimension": dimension}


def _tags(properties: Properties) -> dict[str, str]:
    return {tag["Key"]: tag["Value"] for tag in properties.get("Tags") or []}


def _action_names(properties: Properties) -> set[str]:
    return {action["ScheduledActionName"] for action in properties.get("ScheduledActions") or []}


class ScalableTarget:
    """A registration; its id is ``resource|dimension|namespace``, which a policy refers to."""

    type_name = "AWS::ApplicationAutoScaling::ScalableTarget"
    name_property = None
    blocks = True

    def create(self, logical_id: str, properties: Properties, stack_name: str) -> Created:
        """Register it."""
        self._register(properties, Tags=_tags(properties))
        physical_id = "|".join(
            properties[key] for key in ("ResourceId", "ScalableDimension", "ServiceNamespace")
        )
        return physical_id, {"Id": physical_id}

    def update(self, physical_id: str, old: Properties, new: Properties, stack_name: str) -> Created:
        """Change its bounds; what was deregistered behind CloudFormation's back is not found."""
        described = APPLICATION_AUTOSCALING.call(
            "DescribeScalableTargets",
            {"ServiceNamespace": new["ServiceNamespace"], "ResourceIds": [new["ResourceId"]]},
        )
        if not described["ScalableTargets"]:
            raise AwsError(
                "NotFound",
                f"Resource of type '{self.type_name}' with identifier '{physical_id}' was not found.",
            )
        self._register(new)
        for name in sorted(_action_names(old) - _action_names(new)):
            APPLICATION_AUTOSCALING.call(
                "DeleteScheduledAction", _key(physical_id) | {"ScheduledActionName": name}
            )
        target_arn = described["ScalableTargets"][0]["ScalableTargetARN"]
        if gone := _tags(old).keys() - _tags(new).keys():
            APPLICATION_AUTOSCALING.call(
                "UntagResource", {"ResourceARN": target_arn, "TagKeys": sorted(gone)}
            )
        APPLICATION_AUTOSCALING.call("TagResource", {"ResourceARN": target_arn, "Tags": _tags(new)})
        return physical_id, {"Id": physical_id}

    def delete(self, physical_id: str, properties: Properties) -> None:
        """Deregister it, unless it is gone."""
        try:
            APPLICATION_AUTOSCALING.call("DeregisterScalableTarget", _key(physical_id))
        except AwsError as error:
            if error.code != "ObjectNotFoundException":
                raise

    def _register(self, properties: Properties, **more: Any) -> None:
        members = (*_KEYS, "MinCapacity", "MaxCapacity", "RoleARN", "SuspendedState")
        request = {key: properties[key] for key in members if key in properties}
        APPLICATION_AUTOSCALING.call("RegisterScalableTarget", request | more)
        for action in properties.get("ScheduledActions") or []:
            APPLICATION_AUTOSCALING.call("PutScheduledAction", {k: properties[k] for k in _KEYS} | action)


class ScalingPolicy:
    """A policy; its id is its ARN, which changes when the target is registered anew."""

    type_name = "AWS::ApplicationAutoScaling::ScalingPolicy"
    name_property = "PolicyName"
    blocks = True

    def create(self, logical_id: str, properties: Properties, stack_name: str) -> Created:
        """Put it."""
        target = (
            _key(properties["ScalingTargetId"])
            if "ScalingTargetId" in properties
            else {k: properties[k] for k in _KEYS}
        )
        members = ("PolicyName", "PolicyType")
        request: dict[str, Any] = target | {key: properties[key] for key in members}
        request |= {key: value for key, value in properties.items() if key.endswith("PolicyConfiguration")}
        arn = APPLICATION_AUTOSCALING.call("PutScalingPolicy", request)["PolicyARN"]
        return arn, {"Arn": arn, "Id": arn}

    def update(self, physical_id: str, old: Properties, new: Properties, stack_name: str) -> Created:
        """Change it; a policy with another ARN is not the one that CloudFormation made."""
        if _described(physical_id) is None:
            raise AwsError(
                "NotFound",
                f"Resource of type '{self.type_name}' with identifier '{physical_id}' was not found.",
            )
        return self.create("", new, stack_name)

    def delete(self, physical_id: str, properties: Properties) -> None:
        """Delete it, unless it is gone."""
        if policy := _described(physical_id):
            members = (*_KEYS, "PolicyName")
            APPLICATION_AUTOSCALING.call("DeleteScalingPolicy", {key: policy[key] for key in members})


def _described(arn: str) -> dict[str, Any] | None:
    """Return a policy by its ARN, which names its service and not its scalable dimension."""
    match = re.search(r":resource/([^/]+)/", arn)
    if match is None:
        raise AwsError("InvalidRequest", f"Not the ARN of a scaling policy: {arn}")
    found = APPLICATION_AUTOSCALING.call("DescribeScalingPolicies", {"ServiceNamespace": match[1]})
    return next((policy for policy in found["ScalingPolicies"] if policy["PolicyARN"] == arn), None)


AUTOSCALING_TYPES = [ScalableTarget(), ScalingPolicy()]
