"""What people see of a model whose tasks work off a queue."""

from sizewell.cli.endpoint_words import endpoint_facts, endpoint_row
from sizewell.cli.kind import ViewKind
from sizewell.targets.ecs.queue_worker.plan import requirements
from sizewell.targets.ecs.queue_worker.plan_model import EcsQueueWorkerPlan
from sizewell.targets.ecs.tasks_view import task_lines
from sizewell.targets.view import WHY_NOT_MIGRATED, explained, note, queue_lines


def _more(plan: EcsQueueWorkerPlan) -> list[str]:
    return [*queue_lines(plan), *task_lines(plan)]


FACET = ViewKind(
    row=endpoint_row,
    notes=lambda plan: iter((note(plan, "task"), plan.queue.why)),
    explain=lambda subject: explained(subject, "ECS", requirements),
    facts=lambda explanation: endpoint_facts(explanation, _more, answers_later=True),
    why_not_migrated=WHY_NOT_MIGRATED,
)
