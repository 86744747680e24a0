"""What is said of the choice of a batch transform, wherever it runs."""

from collections.abc import Callable
from typing import Any

from sizewell.cli.endpoint_words import engine_line
from sizewell.cli.explanation import Explanation
from sizewell.cli.formats import hours, spread, usd
from sizewell.cli.kind import Asked, AssumedEngine, Subject, same_image_words
from sizewell.instance_selection import TransformRequirements
from sizewell.instance_selection.counterfactuals import transform_counterfactuals
from sizewell.instance_selection.wording import counted, milliseconds
from sizewell.planning.locked_selection import free_pick
from sizewell.planning.transform_needs import transform_requirements


def explain_transform(
    subject: Subject,
    requirements: Callable[..., TransformRequirements] = transform_requirements,
    without_capacity: str | None = None,
) -> Asked:
    """Return what was asked of a batch transform, wherever it runs."""
    stated, plan = subject.stated, subject.plan
    needs = requirements(stated, subject.policy, subject.measured)
    engine = AssumedEngine(needs.serving.engine, stated="engine" in stated.model_fields_set)
    return Asked(
        objective=needs.serving.objective,
        bound=stated.deadline_hours,
        engine=None if needs.serving.model.architecture.tabular else engine,
        counterfactuals=transform_counterfactuals(
            needs, subject.catalog, free_pick(plan.selection, plan.lock)
        ),
        without_capacity=without_capacity or same_image_words(plan),
    )


def transform_facts(explanation: Explanation) -> list[str]:
    """Return what the chosen type does."""
    e: Any = explanation.workload.selection.chosen.estimate
    memory = f"memory: {e.memory.needed_gib:.1f} of {e.memory.usable_gib:.1f} GiB usable"
    split = f", tensor parallel over {e.tensor_parallel_degree}" if e.tensor_parallel_degree > 1 else ""
    sure = spread(e)
    return [
        *engine_line(explanation),
        f"{memory}{split}",
        f"one request of {counted(e.rows_per_request, 'row')}, {e.concurrent_requests} at a time on an instance: "
        f"{milliseconds(e.request_time_ms)}",
        f"{counted(e.instance_count, 'instance')}: {_rate(e.rows_per_second)} rows per second",
        f"{hours(e.duration_hours)}{f' ({sure})' if sure else ''}, {explanation.asked.bound:g} h asked; "
        f"{usd(e.usd_per_run)} USD per run",
    ]


def _rate(per_second: float) -> str:
    return f"{per_second:,.0f}" if per_second >= 10 else f"{per_second:.2g}"
