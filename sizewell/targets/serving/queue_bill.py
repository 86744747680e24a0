"""What AWS bills for a queue of requests, and for what watches it."""

from collections.abc import Iterator, Sequence

from sizewell.planning.bill_items import BY_USE_OF_TOPIC
from sizewell.planning.bill_plan import BillItem
from sizewell.planning.endpoint_bill import alarm_items
from sizewell.planning.scaling_policies import ScalingPolicyPlan
from sizewell.targets.serving.bill import BY_USE
from sizewell.targets.serving.plan_model import QueueWorkerPlan

#: How many metrics each alarm is on: messages that wait and that are worked on, failures and answers.
_METRICS = {"age_of_oldest_request": 1, "backlog_without_capacity": 2, "invocation_failures": 2}
_OF_DEAD_LETTERS = 1


def queue_items(
    plan: QueueWorkerPlan, region: str, policies: Sequence[ScalingPolicyPlan] = ()
) -> Iterator[BillItem]:
    """Yield the alarms, and those of policies by which AWS scales."""
    yield from alarm_items(region, [_OF_DEAD_LETTERS, *(_METRICS[name] for name in plan.alarms)], policies)


def by_use_of_queue(plan: QueueWorkerPlan) -> tuple[str, ...]:
    """Return the names of what is paid by use."""
    queue = plan.queue
    is_made = None in (queue.success_topic_arn, queue.error_topic_arn)
    return (*BY_USE, "SQS requests", *(BY_USE_OF_TOPIC if is_made else ()))
