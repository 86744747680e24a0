"""By what tasks scale that work off a queue: the backlog of each, and a way from none to the first.

"Amazon SQS queue backlog per task",
https://docs.aws.amazon.com/autoscaling/application/userguide/application-auto-scaling-target-tracking-metric-math.html. Tasks are
counted by Container Insights alone.

A metric that comes late is missing in the newest minute, and FILL would take its value each time
(https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html, FILL). So the queue is not filled, and
tasks must be missing for some minutes.
"""

from sizewell.facts.metrics import ECS_INSIGHTS_NAMESPACE, SQS_NAMESPACE, service_dimensions, sqs_dimensions
from sizewell.planning.queue_scaling import step_from_zero
from sizewell.planning.scaling_policies import (
    MetricMathPlan,
    MetricPlan,
    ScalingPolicyPlan,
    TargetTrackingPlan,
)
from sizewell.targets.serving.plan_model import QueuePlan, ReplicaScalingPlan

#: Ours: Container Insights may be as late.
_MINUTES_WITHOUT_TASK = 3


def plan_policies(
    scaling: ReplicaScalingPlan, queue: QueuePlan, cluster_name: str, service_name: str
) -> tuple[ScalingPolicyPlan, ...]:
    """Return target tracking on the backlog of each task and, where there may be none, the step to the first one."""
    waiting, in_progress = (
        MetricPlan(
            namespace=SQS_NAMESPACE,
            name=f"ApproximateNumberOfMessages{which}",
            statistic="Maximum",
            dimensions=dict(sqs_dimensions(queue.name)),
        )
        for which in ("Visible", "NotVisible")
    )
    running, desired = (
        MetricPlan(
            namespace=ECS_INSIGHTS_NAMESPACE,
            name=f"{which}TaskCount",
            statistic="Average",
            dimensions=dict(service_dimensions(cluster_name, service_name)),
        )
        for which in ("Running", "Desired")
    )
    track = TargetTrackingPlan(
        name="BacklogPerTask",
        metric=MetricMathPlan(
            expression="(waiting + in_progress) / running",
            metrics={"waiting": waiting, "in_progress": in_progress, "running": running},
        ),
        target_value=scaling.target_value,
        scale_out_cooldown_s=scaling.scale_out_cooldown_s,
        scale_in_cooldown_s=scaling.scale_in_cooldown_s,
        derivation=scaling.derivation,
    )
    wake = step_from_zero(
        MetricMathPlan(
            expression="IF(waiting > 0 AND FILL(desired, 0) < 1, 1, 0)",
            metrics={"waiting": waiting, "desired": desired},
        ),
        "it is 1 while requests wait and no task is there or on its way, and 0 otherwise",
        minutes=_MINUTES_WITHOUT_TASK,
    )
    return (track, wake) if scaling.min_instance_count == 0 else (track,)
