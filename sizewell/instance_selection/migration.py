"""Migration assessment: what a workload would cost on Inferentia or Trainium, and what has to change for it."""

from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum
from typing import Generic, TypeVar

from sizewell.instance_selection.catalog import Catalog
from sizewell.instance_selection.endpoint_selection import select_endpoint_instance
from sizewell.instance_selection.estimation.hardware import hardware_kind
from sizewell.instance_selection.neuron import NeuronChange, NeuronFact, neuron_changes, neuron_facts
from sizewell.instance_selection.pareto import time_of
from sizewell.instance_selection.requirements import EndpointRequirements, HardwareKind, TrainingRequirements
from sizewell.instance_selection.results import (
    Candidate,
    E,
    EndpointEstimate,
    NoFeasibleInstanceError,
    Rejection,
    Result,
    Selection,
    TrainingEstimate,
)
from sizewell.instance_selection.training_selection import select_training_instance

#: A smaller saving does not pay for the work of a port: assumed, the threshold at which a lock gives way.
MIN_SAVING = 0.1

N = TypeVar("N", EndpointRequirements, TrainingRequirements)


class Verdict(StrEnum):
    """What an assessment comes to."""

    PILOT = "pilot"
    """It is supported and costs clearly less: try it where no user depends on it, and measure."""
    STAY = "stay"
    """It would run, but saves too little."""
    IMPOSSIBLE = "impossible"
    """No Neuron type meets the needs, or the SDK does not run the model."""
    UNKNOWN = "unknown"
    """A price is not known, or the documentation of the SDK is silent."""
    DONE = "done"
    """It runs on Neuron chips already."""


class MigrationAssessment(Result, Generic[E]):
    """A workload now, and on Neuron chips."""

    verdict: Verdict
    why: str
    now: Candidate[E]
    now_hardware: HardwareKind
    then: Candidate[E] | None
    """The best Neuron type that meets every need and runs the model; None where there is none."""
    difference_usd_per_month: float | None
    """Then less now: a saving is negative. None where a price is unknown."""
    outcome_ratio: float | None
    """The 95th percentile of the latency, or the duration of a run: then divided by now."""
    facts: tuple[NeuronFact, ...] = ()
    """What the documentation says of architecture and framework on the family of ``then``, or of the nearest."""
    changes: tuple[NeuronChange, ...] = ()
    rejected: tuple[Rejection, ...] = ()
    """The nearest Neuron types and what each misses, where none will do."""
    assumptions: tuple[str, ...] = ()


def assess_endpoint_migration(
    needs: EndpointRequirements, catalog: Catalog, now: Candidate[EndpointEstimate] | None = None
) -> MigrationAssessment[EndpointEstimate]:
    """Return what an endpoint would be on Neuron chips.

    ``now`` is what it runs on; left out, the best GPU type that meets the needs. Raises
    ``NoFeasibleInstanceError`` when it is left out and there is none.
    """
    now = now or select_endpoint_instance(_on(needs, HardwareKind.CUDA), catalog).chosen
    return _assess(needs, catalog, now, "inference", select_endpoint_instance)


def assess_training_migration(
    needs: TrainingRequirements, catalog: Catalog, now: Candidate[TrainingEstimate] | None = None
) -> MigrationAssessment[TrainingEstimate]:
    """Return what a training job would be on Neuron chips; as ``assess_endpoint_migration``."""
    now = now or select_training_instance(_on(needs, HardwareKind.CUDA), catalog).chosen
    return _assess(needs, catalog, now, "training", select_training_instance)


def _assess(
    needs: N,
    catalog: Catalog,
    now: Candidate[E],
    task: str,
    select: Callable[[N, Catalog], Selection[E]],
) -> MigrationAssessment[E]:
    hardware = hardware_kind(catalog.get(now.instance_type))
    assert hardware is not None, f"{now.instance_type} was selected, so it has an image"
    if hardware is HardwareKind.NEURON:
        return MigrationAssessment(
            verdict=Verdict.DONE,
            why=f"{now.instance_type} is a Neuron type",
            now=now,
            now_hardware=hardware,
            then=now,
            difference_usd_per_month=0.0,
            outcome_ratio=1.0,
        )
    selection: Selection[E] | None = None
    rejected: tuple[Rejection, ...] = ()
    try:
        # It has no type on which the SDK does not run the model: the filter neuron-sdk rejects those.
        selection = select(_on(needs, HardwareKind.NEURON), catalog)
    except NoFeasibleInstanceError as error:
        rejected = tuple(
            r for r in error.nearest if hardware_kind(catalog.get(r.instance_type)) is HardwareKind.NEURON
        )
    then = selection.chosen if selection else None
    nearest = then or (rejected[0] if rejected else None)
    family = catalog.get(nearest.instance_type).family if nearest else ""
    facts = neuron_facts(needs.model, task, family)
    difference = _difference(now, then)
    verdict, why = _judge(now, then, difference, facts, rejected)
    return MigrationAssessment(
        verdict=verdict,
        why=why,
        now=now,
        now_hardware=hardware,
        then=then,
        difference_usd_per_month=difference,
        outcome_ratio=time_of(then.estimate) / time_of(now.estimate) if then else None,
        facts=facts,
        changes=neuron_changes(needs.model, task, family) if then else (),
        rejected=rejected,
        assumptions=selection.assumptions if selection else (),
    )


def _on(needs: N, kind: HardwareKind) -> N:
    """Return the needs with an image for one kind of hardware, and no stated type."""
    return replace(needs, limits=replace(needs.limits, images=frozenset({kind}), instance_type=None))


def _difference(now: Candidate[E], then: Candidate[E] | None) -> float | None:
    if then is None or now.cost.usd_per_month is None or then.cost.usd_per_month is None:
        return None
    return then.cost.usd_per_month - now.cost.usd_per_month


def _judge(
    now: Candidate[E],
    then: Candidate[E] | None,
    difference: float | None,
    facts: tuple[NeuronFact, ...],
    rejected: tuple[Rejection, ...],
) -> tuple[Verdict, str]:
    if then is None:
        obstacle = next((fact for fact in facts if not fact.status.runs), None)
        if obstacle:
            return Verdict.IMPOSSIBLE, f"the Neuron SDK does not run it: {obstacle}"
        nearest = ", ".join(f"{r.instance_type}: {r.filter}: {r.reason}" for r in rejected[:1])
        return Verdict.IMPOSSIBLE, f"no Neuron type will do; the nearest, {nearest or 'none is offered here'}"
    if len(facts) < 2:
        known = f"only {facts[0].subject}" if facts else "neither architecture nor framework"
        return Verdict.UNKNOWN, f"for {then.instance_type}, the Neuron documentation covers {known}"
    if difference is None or not now.cost.usd_per_month:
        unpriced = then if then.cost.usd_per_month is None else now
        return Verdict.UNKNOWN, f"the price of {unpriced.instance_type} is not known"
    share = abs(difference) / now.cost.usd_per_month
    if difference < 0 and share >= MIN_SAVING:
        return Verdict.PILOT, f"{then.instance_type} costs {share:.0%} less"
    if difference < 0:
        return (
            Verdict.STAY,
            f"{then.instance_type} saves {share:.0%}, below the {MIN_SAVING:.0%} that a port is worth",
        )
    return Verdict.STAY, f"{then.instance_type} costs {share:.0%} more"
