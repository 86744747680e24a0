"""What AWS bills for a model whose tasks work off a queue: managed instances, and the alarms on the queue."""

from sizewell.planning.bill_items import BY_USE_OF_LOG_GROUP, bill_line
from sizewell.planning.bill_plan import BillLine
from sizewell.planning.kind import BillKind
from sizewell.targets.ecs.queue_worker.plan_model import EcsQueueWorkerPlan
from sizewell.targets.ecs.tasks_bill import task_instance_items
from sizewell.targets.serving.queue_bill import by_use_of_queue, queue_items


def _line(plan: EcsQueueWorkerPlan, region: str) -> BillLine:
    """Return a month of a workload at average load."""
    items = [*task_instance_items(plan, region), *queue_items(plan, region, plan.policies)]
    return bill_line(plan.name, items, (*by_use_of_queue(plan), *BY_USE_OF_LOG_GROUP))


FACET = BillKind(line=_line)
