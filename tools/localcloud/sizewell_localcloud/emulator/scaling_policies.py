"""What Application Auto Scaling refuses of policies, whatever they scale."""

from typing import Any

from sizewell_localcloud.emulator.errors import ValidationError

_CONFIGURATIONS = {
    "TargetTrackingScaling": "TargetTrackingScalingPolicyConfiguration",
    "StepScaling": "StepScalingPolicyConfiguration",
    "PredictiveScaling": "PredictiveScalingPolicyConfiguration",
}


def check_policy(kind: str, request: dict[str, Any]) -> None:
    """Refuse a configuration of another type, and target tracking without its one metric."""
    wanted = _CONFIGURATIONS[kind]
    given = sorted(key for key in request if key.endswith("PolicyConfiguration"))
    if given != [wanted]:
        raise ValidationError(
            f"A policy of type {kind} needs {wanted} and no other, got {', '.join(given) or 'none'}"
        )
    specifications = {"PredefinedMetricSpecification", "CustomizedMetricSpecification"}
    if kind == "TargetTrackingScaling" and len(specifications & request[wanted].keys()) != 1:
        raise ValidationError(
            "Target tracking needs either a predefined or a customized metric specification"
        )


def predefined_metric(request: dict[str, Any]) -> dict[str, Any] | None:
    """Return the specification of the predefined metric that a policy tracks."""
    tracking = request.get("TargetTrackingScalingPolicyConfiguration", {})
    specification: dict[str, Any] | None = tracking.get("PredefinedMetricSpecification")
    return specification


def require_metric_of(dimension: str, metric: str, allowed: set[str] | None) -> None:
    """Refuse a metric that belongs to other dimensions."""
    if allowed and metric not in allowed:
        raise ValidationError(
            f"Scalable dimension {dimension} only supports the following predefined metric types: "
            f"{', '.join(sorted(allowed))}"
        )
