"""What people see of a model whose tasks work off a queue."""

from sizewell.targets.ecs.queue_worker.plan import requirements
from sizewell.targets.ecs.tasks_view import task_lines
from sizewell.targets.view import view_of_queue_worker

FACET = view_of_queue_worker("task", "ECS", task_lines, requirements)
