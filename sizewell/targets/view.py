"""What people see of what runs on instances of EC2, whatever places its containers there."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from sizewell.cli.endpoint_words import asked_of, endpoint_facts, endpoint_row
from sizewell.cli.kind import Asked, Row, Subject, ViewKind, row_of_choice
from sizewell.cli.transform_words import explain_transform, transform_facts
from sizewell.instance_selection import EndpointRequirements
from sizewell.targets.serving.on_ec2 import ec2_requirements
from sizewell.targets.serving.plan_model import QueueWorkerPlan, ServedOnEc2Plan
from sizewell.targets.transforming.on_ec2 import ec2_transform_requirements

#: Why it is not assessed for a migration, after the name of the kind.
WHY_NOT_MIGRATED = "which runs in a cluster"
_UNITS = {
    "invocations": "requests/s",
    "concurrency": "requests in progress",
    "backlog": "requests that wait or are worked on",
}


def scaling_words(plan: ServedOnEc2Plan, container: str) -> str:
    """Return by what containers scale, and where the target comes from; people call one of them a ``container``."""
    if (scaling := plan.scaling) is None:
        return f"scaling: always {plan.initial_instance_count} {container}s"
    unit = _UNITS[scaling.signal]
    return f"scaling: {scaling.target_value:g} {unit} in each {container}: {scaling.derivation}"


def row_with_spot(plan: Any) -> Row:
    """Return the row of a model, with how many of its instances are on Spot."""
    row = endpoint_row(plan)
    spot = "" if plan.on_spot is None else " Spot" if plan.on_spot.share == 1 else " half Spot"
    return replace(row, count=f"{row.count}{spot}")


def view_of_served(
    container: str,
    launcher: str,
    lines: Callable[[Any], list[str]],
    row: Callable[[Any], Row] = endpoint_row,
) -> ViewKind:
    """Return the view of a model that answers at once; ``launcher`` launches its instances, and ``lines`` say how it runs."""
    return ViewKind(
        row=row,
        notes=lambda plan: iter((_note(plan, container),)),
        explain=lambda subject: _explained(subject, launcher, ec2_requirements),
        facts=lambda explanation: endpoint_facts(explanation, lines),
        why_not_migrated=WHY_NOT_MIGRATED,
    )


def view_of_queue_worker(
    container: str,
    launcher: str,
    lines: Callable[[Any], list[str]],
    requirements: Callable[..., EndpointRequirements],
    row: Callable[[Any], Row] = endpoint_row,
) -> ViewKind:
    """Return the view of a model that works off a queue."""

    def all_lines(plan: QueueWorkerPlan) -> list[str]:
        return [*_queue_lines(plan), *lines(plan)]

    return ViewKind(
        row=row,
        notes=lambda plan: iter((_note(plan, container), plan.queue.why)),
        explain=lambda subject: _explained(subject, launcher, requirements),
        facts=lambda explanation: endpoint_facts(explanation, all_lines, answers_later=True),
        why_not_migrated=WHY_NOT_MIGRATED,
    )


def view_of_transform(
    launcher: str, notes: Callable[[Any], Iterator[str]], room_words: Callable[[Any], str]
) -> ViewKind:
    """Return the view of a batch transform; ``room_words`` say what a container of its plan asks for."""

    def explain(subject: Subject) -> Asked:
        types = ", ".join(subject.plan.instance_pools)
        return explain_transform(subject, ec2_transform_requirements, f"{launcher} launches any of: {types}")

    return ViewKind(
        row=lambda plan: row_of_choice(plan, str(plan.instance_count)),
        used="For a batch transform, of the deadline. ",
        notes=notes,
        explain=explain,
        facts=lambda explanation: [*transform_facts(explanation), room_words(explanation.workload)],
        why_not_migrated=WHY_NOT_MIGRATED,
    )


def _note(plan: ServedOnEc2Plan, container: str) -> str:
    return f"runs in the cluster {plan.cluster.name}; {scaling_words(plan, container)}"


def _queue_lines(plan: QueueWorkerPlan) -> list[str]:
    queue = plan.queue
    return [
        f"queue: {queue.why}",
        f"callers put requests below {queue.input_prefix}, and send their place to the queue {queue.name}; an answer may take "
        f"{queue.invocation_timeout_s} s, and is tried {queue.max_receives} times",
    ]


def _explained(subject: Subject, launcher: str, requirements: Callable[..., EndpointRequirements]) -> Asked:
    types = subject.plan.instance_pools
    others = f"{launcher} launches any of: {', '.join(types)}" if len(types) > 1 else None
    needs = requirements(subject.stated, subject.policy, subject.measured)
    return asked_of(subject, needs, without_capacity=others)
