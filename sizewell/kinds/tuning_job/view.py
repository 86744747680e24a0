"""What is said of a tuning job."""

from collections.abc import Iterator

from sizewell.cli.kind import (
    CHOOSES_NEURON_ITSELF,
    Asked,
    Row,
    Subject,
    ViewKind,
    row_of_choice,
    same_image_words,
)
from sizewell.cli.training_words import explain_training, training_facts
from sizewell.kinds.tuning_job.needs import one_training
from sizewell.kinds.tuning_job.plan_model import TuningJobPlan


def _row(job: TuningJobPlan) -> Row:
    spot = " Spot" if job.spot else ""
    count = f"{job.search.max_parallel_jobs} x {job.attempts[0].instance_count}{spot}"
    return row_of_choice(job, count, job.estimate_of_run)


def _notes(job: TuningJobPlan) -> Iterator[str]:
    yield (
        f"{job.search.max_jobs} trainings, {job.search.max_parallel_jobs} at a time; hours and USD are of all of them, at "
        "the most"
    )


def _explain(subject: Subject) -> Asked:
    return explain_training(
        subject, one_training(subject.stated), without_capacity=same_image_words(subject.plan)
    )


FACET = ViewKind(
    row=_row,
    notes=_notes,
    explain=_explain,
    facts=training_facts,
    why_not_migrated=CHOOSES_NEURON_ITSELF,
)
