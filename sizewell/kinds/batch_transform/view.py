"""What is said of a batch transform."""

from sizewell.cli.kind import CHOOSES_NEURON_ITSELF, Row, ViewKind, row_of_choice
from sizewell.cli.transform_words import explain_transform, transform_facts
from sizewell.kinds.batch_transform.plan_model import BatchTransformPlan


def _row(job: BatchTransformPlan) -> Row:
    return row_of_choice(job, str(job.attempts[0].instance_count))


FACET = ViewKind(
    row=_row,
    used="For a batch transform, of the deadline. ",
    explain=explain_transform,
    facts=transform_facts,
    why_not_migrated=CHOOSES_NEURON_ITSELF,
)
