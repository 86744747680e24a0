"""What people see of a model that tasks serve."""

from sizewell.targets.ecs.tasks_view import task_lines
from sizewell.targets.view import view_of_served

FACET = view_of_served("task", "ECS", task_lines)
