"""What people see of a model whose pods work off a queue."""

from sizewell.targets.eks.pods_view import pod_lines
from sizewell.targets.eks.queue_worker.plan import requirements
from sizewell.targets.view import row_with_spot, view_of_queue_worker

FACET = view_of_queue_worker("pod", "the pool", pod_lines, requirements, row_with_spot)
