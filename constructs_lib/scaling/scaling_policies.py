"""The policies by which a variant scales: target tracking on any metric, and steps that an alarm starts.

https://docs.aws.amazon.com/autoscaling/application/APIReference/API_PutScalingPolicy.html
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from aws_cdk import CfnResource
from aws_cdk import aws_applicationautoscaling as autoscaling
from aws_cdk import aws_cloudwatch as cloudwatch
from constructs import Construct

from sizewell.facts.alarms import AlarmEvaluation
from sizewell.facts.durations import MINUTE_S
from sizewell.facts.scaling import INVOCATIONS_PER_INSTANCE

#: A policy of this name was released when there was no other: its logical id stays.
_RELEASED_IDS = {"InvocationsPerInstance": "Policy"}
#: The id of what an expression comes to.
_RESULT = "result"
#: What an alarm and a customized metric call by these words; all others are percentiles.
_PLAIN_STATISTICS = frozenset({"Average", "Minimum", "Maximum", "Sum", "SampleCount"})
#: One datapoint of a minute is enough.
ONE_MINUTE = AlarmEvaluation(period_s=MINUTE_S, datapoints_to_alarm=1, evaluation_periods=1)


@dataclass(frozen=True, kw_only=True)
class ScalingMetric:
    """A metric of CloudWatch; ``dimensions`` are all that it is published with, letter by letter.

    ``statistic`` is one such as ``Average``, or a percentile such as ``p95``.
    """

    namespace: str
    name: str
    statistic: str
    dimensions: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class ScalingMath:
    """What ``expression``, metric math of CloudWatch, makes of several metrics; ``metrics`` are by their ids in it."""

    expression: str
    metrics: Mapping[str, ScalingMetric]

    @property
    def result_id(self) -> str:
        """An id that none of the metrics has."""
        return _RESULT if _RESULT not in self.metrics else f"{max(self.metrics, key=len)}_"


@dataclass(frozen=True, kw_only=True)
class TargetTracking:
    """Instances come and go so that a metric stays at ``target_value``.

    ``metric`` is the type of a predefined metric of Application Auto Scaling, or metrics of CloudWatch that fall as
    instances are added. Cooldowns are seconds after one scaling activity before the next. Raises ValueError.
    """

    name: str
    metric: str | ScalingMetric | ScalingMath
    target_value: float
    scale_out_cooldown_s: int = 60
    scale_in_cooldown_s: int = 300

    def __post_init__(self) -> None:
        """Check what Application Auto Scaling would refuse in the middle of a deployment."""
        if not 0 < self.target_value < float("inf"):
            raise ValueError(
                f"target_value of {self.name} must be a positive number, got {self.target_value!r}"
            )
        for label in ("scale_out_cooldown_s", "scale_in_cooldown_s"):
            if getattr(self, label) < 0:
                raise ValueError(f"{label} must not be negative, got {getattr(self, label)}")


@dataclass(frozen=True, kw_only=True)
class ScalingStep:
    """What is added while the metric is between two distances from the threshold; None is no bound."""

    adjustment: int
    lower_bound: float | None = None
    upper_bound: float | None = None


@dataclass(frozen=True, kw_only=True)
class StepScaling:
    """Instances come or go by steps while an alarm, which is made here, is on.

    The alarm looks at ``metric`` as ``evaluation`` says; missing data is no reason to scale. ``steps`` are distances from
    ``threshold``, and overlap nowhere. ``adjustment_type`` says what their numbers are: instances more or less, the number
    itself, or a share of those that are there. Raises ValueError.
    """

    name: str
    metric: ScalingMetric | ScalingMath
    comparison: Literal[
        "GreaterThanOrEqualToThreshold",
        "GreaterThanThreshold",
        "LessThanOrEqualToThreshold",
        "LessThanThreshold",
    ]
    threshold: float
    steps: Sequence[ScalingStep]
    evaluation: AlarmEvaluation = ONE_MINUTE
    adjustment_type: Literal["ChangeInCapacity", "ExactCapacity", "PercentChangeInCapacity"] = (
        "ChangeInCapacity"
    )
    cooldown_s: int = 300

    def __post_init__(self) -> None:
        """Check what Application Auto Scaling would refuse in the middle of a deployment."""
        if self.cooldown_s < 0:
            raise ValueError(f"cooldown_s must not be negative, got {self.cooldown_s}")
        if not self.steps:
            raise ValueError(f"{self.name} needs a step at least")
        infinity = float("inf")
        ranges = sorted(
            (
                -infinity if step.lower_bound is None else step.lower_bound,
                infinity if step.upper_bound is None else step.upper_bound,
            )
            for step in self.steps
        )
        for low, high in ranges:
            if low >= high:
                raise ValueError(
                    f"a step of {self.name} needs lower_bound < upper_bound, got {low:g} and {high:g}"
                )
        for (_, high), (low, _) in pairwise(ranges):
            if low != high:
                raise ValueError(
                    f"each step of {self.name} begins where the one before it ends, got {high:g} and then {low:g}"
                )


ScalingPolicy = TargetTracking | StepScaling


def track_invocations(
    target_invocations_per_instance_per_minute: float,
    *,
    scale_out_cooldown_s: int = 60,
    scale_in_cooldown_s: int = 300,
) -> TargetTracking:
    """Return target tracking on what one instance serves in a minute: the metric counts per minute."""
    return TargetTracking(
        name="InvocationsPerInstance",
        metric=INVOCATIONS_PER_INSTANCE,
        target_value=target_invocations_per_instance_per_minute,
        scale_out_cooldown_s=scale_out_cooldown_s,
        scale_in_cooldown_s=scale_in_cooldown_s,
    )


def add_policy(
    scope: Construct,
    target: autoscaling.CfnScalableTarget,
    policy: ScalingPolicy,
    *,
    id_prefix: str,
    alarm_prefix: str,
) -> list[CfnResource]:
    """Add a policy to a target, and the alarm that a step policy acts on; return what was added.

    ``id_prefix`` begins the ids, ``alarm_prefix`` the name of the alarm.
    """
    construct_id = f"{id_prefix}{_RELEASED_IDS.get(policy.name, policy.name)}"
    if isinstance(policy, TargetTracking):
        return [_add_tracking(scope, construct_id, target, policy)]
    steps = _add_steps(scope, construct_id, target, policy)
    alarm = cloudwatch.CfnAlarm(
        scope,
        f"{construct_id}Alarm",
        alarm_name=f"{alarm_prefix}-{policy.name}",
        alarm_description=(
            f"{_described(policy.metric)} is {_words(policy.comparison)} {policy.threshold:g}: "
            "Application Auto Scaling acts, and nobody needs to"
        ),
        **_watched(policy.metric, policy.evaluation.period_s),
        comparison_operator=policy.comparison,
        threshold=policy.threshold,
        evaluation_periods=policy.evaluation.evaluation_periods,
        datapoints_to_alarm=policy.evaluation.datapoints_to_alarm,
        treat_missing_data="notBreaching",
        alarm_actions=[steps.ref],
    )
    return [steps, alarm]


def _described(metric: ScalingMetric | ScalingMath) -> str:
    return metric.expression if isinstance(metric, ScalingMath) else f"{metric.statistic} {metric.name}"


def _watched(metric: ScalingMetric | ScalingMath, period_s: int) -> dict[str, Any]:
    """Return what an alarm looks at."""
    alarm = cloudwatch.CfnAlarm
    if isinstance(metric, ScalingMath):
        read = [
            alarm.MetricDataQueryProperty(
                id=key,
                return_data=False,
                metric_stat=alarm.MetricStatProperty(
                    metric=alarm.MetricProperty(
                        namespace=part.namespace,
                        metric_name=part.name,
                        dimensions=_alarm_dimensions(part),
                    ),
                    period=period_s,
                    stat=part.statistic,
                ),
            )
            for key, part in metric.metrics.items()
        ]
        result = alarm.MetricDataQueryProperty(
            id=metric.result_id, expression=metric.expression, return_data=True
        )
        return {"metrics": [*read, result]}
    statistic = "statistic" if metric.statistic in _PLAIN_STATISTICS else "extended_statistic"
    return {
        "namespace": metric.namespace,
        "metric_name": metric.name,
        "dimensions": _alarm_dimensions(metric),
        statistic: metric.statistic,
        "period": period_s,
    }


def _alarm_dimensions(metric: ScalingMetric) -> list[cloudwatch.CfnAlarm.DimensionProperty]:
    return [
        cloudwatch.CfnAlarm.DimensionProperty(name=name, value=value)
        for name, value in metric.dimensions.items()
    ]


def _add_tracking(
    scope: Construct, construct_id: str, target: autoscaling.CfnScalableTarget, policy: TargetTracking
) -> autoscaling.CfnScalingPolicy:
    metric = policy.metric
    return autoscaling.CfnScalingPolicy(
        scope,
        construct_id,
        policy_name=policy.name,
        policy_type="TargetTrackingScaling",
        scaling_target_id=target.ref,
        target_tracking_scaling_policy_configuration=(
            autoscaling.CfnScalingPolicy.TargetTrackingScalingPolicyConfigurationProperty(
                target_value=policy.target_value,
                predefined_metric_specification=autoscaling.CfnScalingPolicy.PredefinedMetricSpecificationProperty(
                    predefined_metric_type=metric
                )
                if isinstance(metric, str)
                else None,
                customized_metric_specification=None if isinstance(metric, str) else _customized(metric),
                scale_out_cooldown=policy.scale_out_cooldown_s,
                scale_in_cooldown=policy.scale_in_cooldown_s,
            )
        ),
    )


def _customized(
    metric: ScalingMetric | ScalingMath,
) -> autoscaling.CfnScalingPolicy.CustomizedMetricSpecificationProperty:
    """Return a metric as target tracking reads it: percentiles and expressions as a query, as the plain form has neither."""
    policy = autoscaling.CfnScalingPolicy
    if isinstance(metric, ScalingMath):
        read = [_query(key, part, return_data=False) for key, part in metric.metrics.items()]
        result = policy.TargetTrackingMetricDataQueryProperty(
            id=metric.result_id, expression=metric.expression, return_data=True
        )
        return policy.CustomizedMetricSpecificationProperty(metrics=[*read, result])
    if metric.statistic not in _PLAIN_STATISTICS:
        return policy.CustomizedMetricSpecificationProperty(
            metrics=[_query(_RESULT, metric, return_data=True)]
        )
    return policy.CustomizedMetricSpecificationProperty(
        namespace=metric.namespace,
        metric_name=metric.name,
        statistic=metric.statistic,
        dimensions=[
            policy.MetricDimensionProperty(name=name, value=value)
            for name, value in metric.dimensions.items()
        ],
    )


def _query(
    key: str, metric: ScalingMetric, *, return_data: bool
) -> autoscaling.CfnScalingPolicy.TargetTrackingMetricDataQueryProperty:
    policy = autoscaling.CfnScalingPolicy
    return policy.TargetTrackingMetricDataQueryProperty(
        id=key,
        return_data=return_data,
        metric_stat=policy.TargetTrackingMetricStatProperty(
            metric=policy.TargetTrackingMetricProperty(
                namespace=metric.namespace,
                metric_name=metric.name,
                dimensions=[
                    policy.TargetTrackingMetricDimensionProperty(name=name, value=value)
                    for name, value in metric.dimensions.items()
                ],
            ),
            stat=metric.statistic,
        ),
    )


def _add_steps(
    scope: Construct, construct_id: str, target: autoscaling.CfnScalableTarget, policy: StepScaling
) -> autoscaling.CfnScalingPolicy:
    return autoscaling.CfnScalingPolicy(
        scope,
        construct_id,
        policy_name=policy.name,
        policy_type="StepScaling",
        scaling_target_id=target.ref,
        step_scaling_policy_configuration=autoscaling.CfnScalingPolicy.StepScalingPolicyConfigurationProperty(
            adjustment_type=policy.adjustment_type,
            metric_aggregation_type="Maximum"
            if isinstance(policy.metric, ScalingMetric) and policy.metric.statistic == "Maximum"
            else "Average",
            cooldown=policy.cooldown_s,
            step_adjustments=[
                autoscaling.CfnScalingPolicy.StepAdjustmentProperty(
                    metric_interval_lower_bound=step.lower_bound,
                    metric_interval_upper_bound=step.upper_bound,
                    scaling_adjustment=step.adjustment,
                )
                for step in policy.steps
            ],
        ),
    )


def _words(comparison: str) -> str:
    above = "above" if comparison.startswith("Greater") else "below"
    return f"at or {above}" if "OrEqualTo" in comparison else above
