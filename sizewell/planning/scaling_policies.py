"""The policies by which a variant scales, as plain data: each with where its numbers come from."""

from typing import Annotated, Literal

from pydantic import Field

from sizewell.planning.workload_plan import PlanModel


class MetricPlan(PlanModel):
    """A metric of CloudWatch."""

    namespace: str
    name: str
    statistic: str
    dimensions: dict[str, str]


class MetricMathPlan(PlanModel):
    """What an expression makes of several metrics, each named by its id."""

    expression: str
    metrics: dict[str, MetricPlan]


AnyMetricPlan = MetricPlan | MetricMathPlan


class TargetTrackingPlan(PlanModel):
    """Instances come and go so that a metric stays at a value."""

    type: Literal["target-tracking"] = "target-tracking"
    name: str
    metric: str | AnyMetricPlan
    """The type of a predefined metric of Application Auto Scaling, or metrics of CloudWatch."""
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
    metric: AnyMetricPlan
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


def metric_count(policy: ScalingPolicyPlan) -> int:
    """Return how many metrics an alarm of a policy reads: CloudWatch bills each of them."""
    return len(policy.metric.metrics) if isinstance(policy.metric, MetricMathPlan) else 1
