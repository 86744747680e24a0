"""What is said of a processing job."""

from typing import Any

from sizewell.cli.explanation import Explanation
from sizewell.cli.formats import hours, usd
from sizewell.cli.kind import NEVER_ON_NEURON, Asked, Row, Subject, ViewKind, row_of_choice, same_image_words
from sizewell.kinds.processing_job.plan_model import ProcessingJobPlan


def _row(job: ProcessingJobPlan) -> Row:
    return row_of_choice(job, str(job.attempts[0].instance_count))


def _explain(subject: Subject) -> Asked:
    return Asked(bound=subject.stated.deadline_hours, without_capacity=same_image_words(subject.plan))


def _facts(explanation: Explanation) -> list[str]:
    e: Any = explanation.workload.selection.chosen.estimate
    accelerators = f", {e.accelerator_count} accelerator(s)" if e.accelerator_count else ""
    return [
        f"memory: {e.memory.needed_gib:g} of {e.memory.usable_gib:g} GiB asked for",
        f"{e.instance_count} instance(s), each with {e.vcpus} vCPU(s){accelerators}",
        f"{hours(e.duration_hours)} paid for in a run, {explanation.asked.bound:g} h allowed; {usd(e.usd_per_run)} USD per run",
    ]


FACET = ViewKind(
    row=_row,
    used="For a processing job, the share of its deadline that is paid. ",
    explain=_explain,
    facts=_facts,
    why_not_migrated=NEVER_ON_NEURON,
)
