"""What AWS bills for a model whose pods work off a queue: nodes of its own, and the alarms on the queue."""

from sizewell.planning.bill_items import bill_line
from sizewell.planning.bill_plan import BillLine
from sizewell.planning.kind import BillKind
from sizewell.targets.eks.pods_bill import node_items
from sizewell.targets.eks.queue_worker.plan_model import EksQueueWorkerPlan
from sizewell.targets.serving.queue_bill import by_use_of_queue, queue_items


def _line(plan: EksQueueWorkerPlan, region: str) -> BillLine:
    """Return a month of a workload at average load. The fee of the cluster itself is paid whatever runs there."""
    items = [*node_items(plan, region), *queue_items(plan, region)]
    return bill_line(plan.name, items, by_use_of_queue(plan))


FACET = BillKind(line=_line)
