"""What is said of a notebook."""

from typing import Any

from sizewell.cli.explanation import Explanation
from sizewell.cli.kind import NEVER_ON_NEURON, Asked, Row, Subject, ViewKind, row_of_choice, same_image_words
from sizewell.kinds.notebook.plan_model import NotebookPlan


def _row(notebook: NotebookPlan) -> Row:
    return row_of_choice(notebook, "1")


def _explain(subject: Subject) -> Asked:
    return Asked(
        bound=subject.stated.working_hours.hours_per_month,
        bound_key="working_hours_per_month",
        without_capacity=same_image_words(subject.plan),
    )


def _facts(explanation: Explanation) -> list[str]:
    workload: Any = explanation.workload
    e = workload.selection.chosen.estimate
    gpus = f", {e.accelerator_count} accelerator(s)" if e.accelerator_count else ""
    zone = workload.stops[0].time_zone
    stops = " and ".join(stop.expression for stop in workload.stops)
    return [
        f"{e.vcpus} vCPUs, {e.memory.usable_gib:g} GiB of memory{gpus}, a volume of {workload.volume_size_gib} GiB",
        f"runs {e.duration_hours:,.4g} hours in a month, {e.utilization:.0%} of its working hours",
        f"stops after {workload.idle_shutdown_minutes} minutes without work",
        f"is stopped every hour outside of its working hours, whoever has started it: {stops}, {zone}",
        f"{workload.platform_identifier}: in the VPC alone, without root and direct internet access",
    ]


FACET = ViewKind(
    row=_row,
    used="For a notebook, hours of use in a month, and of its working hours. ",
    explain=_explain,
    facts=_facts,
    why_not_migrated=NEVER_ON_NEURON,
)
