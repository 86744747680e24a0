"""The policies by which a variant scales, as plain data: each with where its numbers come from."""

from typing import Annotated, Literal

from pydantic import Field

from sizewell.facts.scaling import INVOCATIONS_PER_INSTANCE
from sizewell.planning.workload_plan import PlanModel


class MetricPlan(PlanModel):
    """A metric of CloudWatch."""

    namespace: str
    name: str
    statistic: str
    dimensions: dict[str, str]


class TargetTrackingPlan(PlanModel):
    """Instances come and go so that a metric stays at a value."""

    type: Literal["target-tracking"] = "target-tracking"
    name: str
    metric: str | MetricPlan
    """The type of a predefined metric of Application Auto Scaling, or a metric of CloudWatch."""
    target_value: float
    scale_out_cooldown_s: int
    scale_in_cooldown_s: int
    derivation: str
    """Where the target comes from."""


class StepPlan(PlanModel):
    """What is added while the metric lies between two distances from the threshold; None is no bound."""

    lower_bound: float | None = None
    upper_bound: float | None = None
    adjustment: int


class StepScalingPlan(PlanModel):
    """Instances come or go by steps, when an alarm goes off."""

    type: Literal["step-scaling"] = "step-scaling"
    name: str
    metric: MetricPlan
    comparison: Literal[
        "GreaterThanOrEqualToThreshold",
        "GreaterThanThreshold",
        "LessThanOrEqualToThreshold",
        "LessThanThreshold",
    ]
    threshold: float
    period_s: int
    datapoints_to_alarm: int
    evaluation_periods: int
    adjustment_type: Literal["ChangeInCapacity", "ExactCapacity", "PercentChangeInCapacity"]
    steps: tuple[StepPlan, ...]
    cooldown_s: int
    derivation: str
    """Where the threshold comes from."""


ScalingPolicyPlan = Annotated[TargetTrackingPlan | StepScalingPlan, Field(discriminator="type")]


def track_invocations(
    capacity_requests_per_second: float,
    headroom: float,
    target_value: float,
    *,
    scale_out_cooldown_s: int,
    scale_in_cooldown_s: int,
) -> TargetTrackingPlan:
    """Return target tracking on what one instance serves in a minute."""
    return TargetTrackingPlan(
        name="InvocationsPerInstance",
        metric=INVOCATIONS_PER_INSTANCE,
        target_value=target_value,
        scale_out_cooldown_s=scale_out_cooldown_s,
        scale_in_cooldown_s=scale_in_cooldown_s,
        derivation=f"{capacity_requests_per_second:.3g} requests/s of one instance less {headroom:.0%} that stay free, x 60 s",
    )
