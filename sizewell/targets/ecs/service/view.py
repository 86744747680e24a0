"""What people see of a model that tasks serve."""

from sizewell.cli.endpoint_words import endpoint_facts, endpoint_row
from sizewell.cli.kind import ViewKind
from sizewell.targets.ecs.tasks_view import task_lines
from sizewell.targets.view import WHY_NOT_MIGRATED, explained, note

FACET = ViewKind(
    row=endpoint_row,
    notes=lambda plan: iter((note(plan, "task"),)),
    explain=lambda subject: explained(subject, "ECS"),
    facts=lambda explanation: endpoint_facts(explanation, task_lines),
    why_not_migrated=WHY_NOT_MIGRATED,
)
