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
from sizewell.stacks.workload_stack import props_of


def scaling_policy(plan: ScalingPolicyPlan) -> ScalingPolicy:
    """Return the policy that a plan describes."""
    if isinstance(plan, TargetTrackingPlan):
        metric = plan.metric if isinstance(plan.metric, str) else _metric(plan.metric)
        return props_of(TargetTracking, plan, metric=metric)
    return props_of(
        StepScaling,
        plan,
        metric=_metric(plan.metric),
        steps=[props_of(ScalingStep, step) for step in plan.steps],
        evaluation=props_of(AlarmEvaluation, plan),
    )


def _metric(plan: AnyMetricPlan) -> ScalingMetric | ScalingMath:
    if isinstance(plan, MetricMathPlan):
        metrics = {name: props_of(ScalingMetric, metric) for name, metric in plan.metrics.items()}
        return ScalingMath(expression=plan.expression, metrics=metrics)
    return props_of(ScalingMetric, plan)
