"""What people see of a model whose pods work off a queue."""

from sizewell.cli.endpoint_words import endpoint_facts, endpoint_row
from sizewell.cli.kind import ViewKind
from sizewell.targets.eks.pods_view import pod_lines
from sizewell.targets.eks.queue_worker.plan import requirements
from sizewell.targets.eks.queue_worker.plan_model import EksQueueWorkerPlan
from sizewell.targets.view import WHY_NOT_MIGRATED, explained, note, queue_lines


def _more(plan: EksQueueWorkerPlan) -> list[str]:
    return [*queue_lines(plan), *pod_lines(plan)]


FACET = ViewKind(
    row=endpoint_row,
    notes=lambda plan: iter((note(plan, "pod"), plan.queue.why)),
    explain=lambda subject: explained(subject, "the pool", requirements),
    facts=lambda explanation: endpoint_facts(explanation, _more, answers_later=True),
    why_not_migrated=WHY_NOT_MIGRATED,
)
