"""What is said of inference components: what copies reserve and reach, and which of them lie together."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from sizewell.cli.explanation import Explanation
from sizewell.cli.kind import (
    CHOOSES_NEURON_ITSELF,
    Asked,
    Row,
    Subject,
    ViewKind,
    row_of_choice,
    same_image_words,
)
from sizewell.instance_selection import FleetEstimate, Objective
from sizewell.instance_selection.latency_bounds import BOUNDS, decisive_bound
from sizewell.instance_selection.results import CopyEstimate
from sizewell.instance_selection.wording import counted, milliseconds
from sizewell.kinds.inference_component_endpoint.needs import fleet_requirements
from sizewell.kinds.inference_component_endpoint.plan_model import ComponentEndpointPlan


def _facts(explanation: Explanation) -> list[str]:
    """Return what each component reserves and reaches, and a placement of the copies."""
    plan: Any = explanation.workload
    fleet: FleetEstimate = plan.selection.chosen.estimate
    return [
        *(f"{name}: {_of_component(copy)}" for name, copy in fleet.components.items()),
        f"{fleet.tightest} leaves the least room to its bound of latency: it is what is predicted",
        f"instances: {fleet.instances_at_average} at average load, {fleet.instances_at_peak} at peak, of which copies reserve "
        f"{fleet.utilization:.0%}",
        f"at peak: {'; '.join(_placement(fleet))}",
    ]


def _of_component(copy: CopyEstimate) -> str:
    serving, devices = copy.serving, copy.accelerator_count
    reserved = counted(devices, "accelerator") if devices else counted(copy.cpu_cores, "core")
    bound = decisive_bound(serving)
    return (
        f"a copy reserves {reserved} and {copy.memory_mib / 1024:.1f} GiB of host memory, and carries "
        f"{serving.capacity_requests_per_second:.3g} requests/s; {copy.copies_at_average} at average load, "
        f"{copy.copies_at_peak} at peak, with {bound.name} {milliseconds(bound.reached_ms(serving) or 0.0)}; memory: "
        f"{serving.memory.needed_gib:.1f} of {serving.memory.usable_gib:.1f} GiB usable"
    )


def _placement(fleet: FleetEstimate) -> Iterator[str]:
    """Yield the copies of each instance, instances that hold the same together."""
    for copies, alike in groupby(fleet.placement):
        listed = ", ".join(f"{count} x {name}" for name, count in copies.items())
        yield f"{counted(len(list(alike)), 'instance')} with {listed}"


def _row(plan: ComponentEndpointPlan) -> Row:
    scaling = plan.scaling
    return row_of_choice(plan, f"{scaling.min_instance_count}-{scaling.max_instance_count}")


def _explain(subject: Subject) -> Asked:
    fleet = subject.plan.selection.chosen.estimate
    components = fleet_requirements(subject.stated, subject.policy).components
    tightest = next(component.serving for component in components if component.name == fleet.tightest)
    asked = {bound.filter: ms for bound in BOUNDS if (ms := bound.asked_ms(tightest)) is not None}
    return Asked(
        objective=Objective(subject.stated.objective),
        bound=asked[fleet.decisive_bound],
        asked_ms=asked,
        without_capacity=same_image_words(subject.plan),
    )


FACET = ViewKind(row=_row, explain=_explain, facts=_facts, why_not_migrated=CHOOSES_NEURON_ITSELF)
