"""From the plan of a scaling policy to what the construct is told."""

from constructs_lib.scaling.scaling_policies import (
    ScalingMath,
    ScalingMetric,
    ScalingPolicy,
    ScalingStep,
    StepScaling,
    TargetTracking,
)
from sizewell.facts.alarms import AlarmEvaluation
from sizewell.planning.scaling_policies import (
    AnyMetricPlan,
    MetricMathPlan,
    ScalingPolicyPlan,
    TargetTrackingPlan,
)


def scaling_policy(plan: ScalingPolicyPlan) -> ScalingPolicy:
    """Return the policy that a plan describes."""
    if isinstance(plan, TargetTrackingPlan):
        return TargetTracking(
            name=plan.name,
            metric=plan.metric if isinstance(plan.metric, str) else _metric(plan.metric),
            target_value=plan.target_value,
            scale_out_cooldown_s=plan.scale_out_cooldown_s,
            scale_in_cooldown_s=plan.scale_in_cooldown_s,
        )
    return StepScaling(
        name=plan.name,
        metric=_metric(plan.metric),
        comparison=plan.comparison,
        threshold=plan.threshold,
        steps=[ScalingStep(**step.model_dump()) for step in plan.steps],
        evaluation=AlarmEvaluation(
            period_s=plan.period_s,
            datapoints_to_alarm=plan.datapoints_to_alarm,
            evaluation_periods=plan.evaluation_periods,
        ),
        adjustment_type=plan.adjustment_type,
        cooldown_s=plan.cooldown_s,
    )


def _metric(plan: AnyMetricPlan) -> ScalingMetric | ScalingMath:
    if isinstance(plan, MetricMathPlan):
        metrics = {key: ScalingMetric(**one.model_dump()) for key, one in plan.metrics.items()}
        return ScalingMath(expression=plan.expression, metrics=metrics)
    return ScalingMetric(**plan.model_dump())
