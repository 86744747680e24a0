"""What decided a selection: how the chosen type beat the runner-up, and which cheaper type misses the needs by the least."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from math import inf

from sizewell.instance_selection.catalog import Catalog, Usage
from sizewell.instance_selection.eligibility import ELIGIBILITY_FILTERS
from sizewell.instance_selection.endpoint_selection import endpoint_filter_names
from sizewell.instance_selection.pareto import time_of
from sizewell.instance_selection.pricing import cost_order
from sizewell.instance_selection.requirements import Objective
from sizewell.instance_selection.results import (
    AnyCandidate,
    AnySelection,
    EndpointEstimate,
    FleetEstimate,
    NotebookEstimate,
    ProcessingEstimate,
    Result,
    TrainingEstimate,
    TransformEstimate,
)
from sizewell.instance_selection.stated_selection import notebook_filter_names, processing_filter_names
from sizewell.instance_selection.training_selection import training_filter_names
from sizewell.instance_selection.transform_selection import transform_filter_names


class DecidedBy(StrEnum):
    """What put the winner before the runner-up."""

    NO_OTHER = "no-other"
    """Nothing else meets every requirement."""
    PREDICTED = "predicted"
    """The objective is time, and the range of that of the runner-up is too wide to say anything."""
    KNOWN_PRICE = "known-price"
    COST = "cost"
    RANGE = "range"
    """The runner-up is a little cheaper, and may miss a need: the need lies within the range of its estimate."""
    TIME = "time"
    """Latency or duration: at equal cost, or because the objective asks for it."""
    NAME = "name"
    """They are equal in all that counts."""
    LOCK = "lock"
    """Nothing of the above: the runner-up would be the free choice."""


class CheaperMiss(Result):
    """A type that is cheaper by the hour than the winner, and was rejected."""

    instance_type: str
    usd_per_hour: float
    """One instance, on demand."""
    filter: str
    reason: str
    shortfall: float | None


class Decision(Result):
    """Why the winner won; numbers are None where there is no runner-up, or no price."""

    by: DecidedBy
    runner_up: str | None
    runner_up_more_usd_per_month: float | None
    """How much more the runner-up costs; below zero where it is cheaper."""
    runner_up_time_ratio: float | None
    """Its latency or duration as a multiple of the winner's."""
    nearest_cheaper: CheaperMiss | None


#: The usage and the filters of a selection, by its estimate.
_FILTERS_OF: Mapping[type, tuple[Usage, Callable[[], tuple[str, ...]]]] = {
    EndpointEstimate: (Usage.HOSTING, endpoint_filter_names),
    FleetEstimate: (Usage.HOSTING, endpoint_filter_names),
    TrainingEstimate: (Usage.TRAINING, training_filter_names),
    TransformEstimate: (Usage.TRANSFORM, transform_filter_names),
    NotebookEstimate: (Usage.NOTEBOOK, notebook_filter_names),
    ProcessingEstimate: (Usage.PROCESSING, processing_filter_names),
}


def filter_names_of(selection: AnySelection) -> tuple[str, ...]:
    """Return the names of the filters of a selection, in their order."""
    return _FILTERS_OF[type(selection.chosen.estimate)][1]()


def decide(
    selection: AnySelection,
    catalog: Catalog,
    objective: Objective = Objective.LEAST_COST,
) -> Decision:
    """Return what decided a selection; a winner that the objective would not put first was kept by a lock."""
    chosen = selection.chosen
    second = selection.runners_up[0] if selection.runners_up else None
    ours = chosen.cost.usd_per_month
    theirs = second.cost.usd_per_month if second else None
    return Decision(
        by=_decided_by(chosen, second, objective) if second else DecidedBy.NO_OTHER,
        runner_up=second.instance_type if second else None,
        runner_up_more_usd_per_month=None if ours is None or theirs is None else theirs - ours,
        runner_up_time_ratio=time_of(second.estimate) / time_of(chosen.estimate) if second else None,
        nearest_cheaper=_nearest_cheaper(selection, catalog),
    )


def _decided_by(
    chosen: AnyCandidate,
    second: AnyCandidate,
    objective: Objective,
) -> DecidedBy:
    theirs = _merits(second, objective)
    for by, ours in _merits(chosen, objective).items():
        if ours > theirs[by]:
            return DecidedBy.LOCK
        if ours < theirs[by]:
            costs_more = (chosen.cost.usd_per_month or 0.0) > (second.cost.usd_per_month or 0.0)
            return DecidedBy.RANGE if by is DecidedBy.COST and costs_more else by
    return DecidedBy.NAME if chosen.instance_type < second.instance_type else DecidedBy.LOCK


def _merits(candidate: AnyCandidate, objective: Objective) -> dict[DecidedBy, float]:
    """Return the figures that are compared, in the order of the objective; less is better."""
    unpriced, usd_per_month = cost_order(candidate.cost, candidate.estimate)
    predicted = {DecidedBy.PREDICTED: float(bool(candidate.estimate.not_predicted))}
    cost = {DecidedBy.KNOWN_PRICE: float(unpriced), DecidedBy.COST: usd_per_month}
    time = {DecidedBy.TIME: time_of(candidate.estimate)}
    if objective is Objective.LEAST_LATENCY:
        return {**predicted, **time, **cost}
    return {**cost, **time}


def _nearest_cheaper(selection: AnySelection, catalog: Catalog) -> CheaperMiss | None:
    """Return the cheaper type that missed by the least; of equal ones, the one that passed the most filters."""
    max_usd_per_hour = selection.chosen.cost.usd_per_hour
    if max_usd_per_hour is None:
        return None
    usage, filter_names = _FILTERS_OF[type(selection.chosen.estimate)]
    filters = filter_names()
    stages = {name: stage for stage, name in enumerate(filters) if name not in ELIGIBILITY_FILTERS}
    found: list[CheaperMiss] = []
    for rejection in selection.rejected:
        if rejection.filter in stages:
            offered = catalog.get(rejection.instance_type).usages
            priced_as = usage if usage in offered else Usage.EC2
            price = catalog.price(rejection.instance_type, priced_as).usd_per_hour
            if price is not None and price < max_usd_per_hour:
                found.append(CheaperMiss(**rejection.model_dump(), usd_per_hour=price))
    return min(
        found,
        key=lambda miss: (miss.shortfall or inf, -stages[miss.filter], miss.instance_type),
        default=None,
    )
