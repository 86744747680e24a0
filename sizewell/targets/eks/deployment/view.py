"""What people see of a model that pods serve."""

from sizewell.cli.endpoint_words import endpoint_facts, endpoint_row
from sizewell.cli.kind import ViewKind
from sizewell.targets.eks.pods_view import pod_lines
from sizewell.targets.view import WHY_NOT_MIGRATED, explained, note

FACET = ViewKind(
    row=endpoint_row,
    notes=lambda plan: iter((note(plan, "pod"),)),
    explain=lambda subject: explained(subject, "the pool"),
    facts=lambda explanation: endpoint_facts(explanation, pod_lines),
    why_not_migrated=WHY_NOT_MIGRATED,
)
