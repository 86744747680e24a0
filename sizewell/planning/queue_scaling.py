"""How the instances of an asynchronous endpoint follow its queue: a target for the backlog of each, and a way to wake.

"Autoscale an asynchronous endpoint", https://docs.aws.amazon.com/sagemaker/latest/dg/async-inference-autoscale.html
"""

import math

from sizewell.facts.asynchronous import WAKE_S
from sizewell.facts.endpoint_metrics import endpoint_metrics, queue_dimensions
from sizewell.planning.scaling_policies import (
    AnyMetricPlan,
    MetricPlan,
    StepPlan,
    StepScalingPlan,
    TargetTrackingPlan,
)

BACKLOG_PER_INSTANCE = "ApproximateBacklogSizePerInstance"
BACKLOG_WITHOUT_CAPACITY = "HasBacklogWithoutCapacity"
#: Minutes above a target after which target tracking adds instances (Application Auto Scaling user guide, "How target
#: tracking scaling works": alarms of three datapoints of a minute to scale out).
SCALE_OUT_MINUTES = 3
#: The alarm of the metric is 1 or 0, once a minute: one datapoint tells.
WAKE_PERIOD_S = 60


def backlog_target(
    *,
    max_wait_s: float,
    requests_per_second: float,
    answer_s: float,
    concurrency: int,
    asked_for_s: float = SCALE_OUT_MINUTES * 60,
) -> tuple[float, str]:
    """Return how many requests may wait for, or be with, one instance, and where the number comes from.

    ``requests_per_second`` is what one instance works off with its headroom kept free, ``answer_s`` what it takes for one
    answer, ``concurrency`` how many it works on at a time, ``asked_for_s`` how long it takes until others are asked for. The last
    of a backlog is answered in time where the wait, less the time until another instance is there, is enough to work the backlog
    off; a backlog that one instance works on at the same time needs no other one.
    """
    left_s = max_wait_s - asked_for_s - WAKE_S - answer_s
    in_time = math.floor(requests_per_second * left_s) if left_s > 0 else 0
    if in_time > concurrency:
        return float(in_time), (
            f"{requests_per_second:.3g} requests/s of one instance, headroom kept free, x {left_s:,.0f} s: {max_wait_s:,.0f} s "
            f"of wait less {asked_for_s:g} s until more instances are asked for, {WAKE_S:,.0f} s until they are there "
            f"and {answer_s:,.1f} s for an answer"
        )
    return float(concurrency), (
        f"the {concurrency} requests that one instance works on at a time: {max_wait_s:,.0f} s of wait leave no time for "
        "more to stand in the queue until another instance is there"
    )


def track_backlog(
    endpoint_name: str,
    *,
    max_wait_s: float,
    requests_per_second: float,
    answer_s: float,
    concurrency: int,
    scale_out_cooldown_s: int,
    scale_in_cooldown_s: int,
) -> TargetTrackingPlan:
    """Return target tracking on the requests that wait for, or are with, one instance."""
    target, derivation = backlog_target(
        max_wait_s=max_wait_s,
        requests_per_second=requests_per_second,
        answer_s=answer_s,
        concurrency=concurrency,
    )
    return TargetTrackingPlan(
        name="BacklogPerInstance",
        metric=_queue_metric(BACKLOG_PER_INSTANCE, endpoint_name, "Average"),
        target_value=target,
        scale_out_cooldown_s=scale_out_cooldown_s,
        scale_in_cooldown_s=scale_in_cooldown_s,
        derivation=derivation,
    )


def wake_from_zero(endpoint_name: str) -> StepScalingPlan:
    """Return the step from no instance to one: target tracking alone waits until the queue is longer than its target."""
    return step_from_zero(
        _queue_metric(BACKLOG_WITHOUT_CAPACITY, endpoint_name, "Maximum"),
        "the metric is 1 while requests wait and no instance is there, and 0 otherwise",
    )


def step_from_zero(metric: AnyMetricPlan, derivation: str, *, minutes: int = 1) -> StepScalingPlan:
    """Return the step that a metric above nothing takes, after so many minutes."""
    return StepScalingPlan(
        name="WakeFromZero",
        metric=metric,
        comparison="GreaterThanOrEqualToThreshold",
        threshold=1,
        period_s=WAKE_PERIOD_S,
        datapoints_to_alarm=minutes,
        evaluation_periods=minutes,
        adjustment_type="ChangeInCapacity",
        steps=(StepPlan(lower_bound=0, adjustment=1),),
        # A second one is no help while the first one starts.
        cooldown_s=int(WAKE_S),
        derivation=derivation,
    )


def _queue_metric(name: str, endpoint_name: str, statistic: str) -> MetricPlan:
    metric = endpoint_metrics()[name]
    dimensions = dict(queue_dimensions(endpoint_name))
    return MetricPlan(namespace=metric.namespace, name=name, statistic=statistic, dimensions=dimensions)
