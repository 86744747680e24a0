"""What Application Auto Scaling refuses of services, and of policies for them."""

from typing import Any

from ministack.services import ecs

from sizewell_localcloud.emulator.ecs.requests import call
from sizewell_localcloud.emulator.errors import ValidationError
from sizewell_localcloud.emulator.scaling_policies import require_metric_of

_DIMENSION = "ecs:service:DesiredCount"
_BY_REQUESTS = "ALBRequestCountPerTarget"
_METRICS = {
    _BY_REQUESTS,
    *(
        f"ECSServiceAverage{what}Utilization{how}"
        for what in ("CPU", "Memory")
        for how in ("", "HighResolution")
    ),
}
SERVICE_LINKED_ROLE = (
    "ecs.application-autoscaling.amazonaws.com/AWSServiceRoleForApplicationAutoScaling_ECSService"
)


def check_target(key: tuple[str, str, str], low: int) -> None:
    """Refuse a resource that is no active service."""
    if key[2] != _DIMENSION:
        raise ValidationError(f"Unsupported service namespace, resource type or scalable dimension: {key}")
    if _service(key)["status"] != "ACTIVE":
        raise _missing(key)


def bring_into_bounds(key: tuple[str, str, str], low: int, high: int) -> None:
    """Change the desired count to the nearest one inside the bounds, as a registration does.

    https://docs.aws.amazon.com/autoscaling/application/APIReference/API_RegisterScalableTarget.html
    """
    count = _service(key)["desiredCount"]
    if (wanted := min(max(count, low), high)) != count:
        _, cluster, name = key[1].split("/")
        call("UpdateService", {"cluster": cluster, "service": name, "desiredCount": wanted})


def check_metric(key: tuple[str, str, str], specification: dict[str, Any]) -> None:
    """Refuse a metric of another dimension, and a label that is missing, needless or of a target group of another service.

    https://docs.aws.amazon.com/autoscaling/application/APIReference/API_PredefinedMetricSpecification.html
    """
    label, metric = specification.get("ResourceLabel"), specification["PredefinedMetricType"]
    require_metric_of(_DIMENSION, metric, _METRICS)
    attached = [balancer.get("targetGroupArn", "") for balancer in _service(key)["loadBalancers"]]
    if (metric == _BY_REQUESTS) != (label is not None):
        raise ValidationError(
            f"A resource label belongs to {_BY_REQUESTS}, and to no other metric type: {metric}"
        )
    group = "targetgroup/" + (label or "").partition("/targetgroup/")[2]
    if label is not None and not any(arn.endswith(f":{group}") for arn in attached):
        raise ValidationError(f"The target group of the resource label {label} is not attached to {key[1]}")


def _service(key: tuple[str, str, str]) -> dict[str, Any]:
    service: dict[str, Any] | None = ecs._services.get(key[1].partition("service/")[2])
    if service is None:
        raise _missing(key)
    return service


def _missing(key: tuple[str, str, str]) -> ValidationError:
    # https://github.com/spinnaker/spinnaker/issues/4371
    return ValidationError(f"ECS service doesn't exist: {key[1]}")
