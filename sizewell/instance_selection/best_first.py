"""The end of every selection: the budget, the order of the candidates, and the list of what was rejected."""

from collections.abc import Callable, Iterable, Mapping

from sizewell.instance_selection.catalog import Catalog
from sizewell.instance_selection.filters import Miss, no_feasible, rejection
from sizewell.instance_selection.pareto import time_of
from sizewell.instance_selection.pricing import cost_order
from sizewell.instance_selection.requirements import Objective
from sizewell.instance_selection.results import (
    Candidate,
    E,
    EndpointEstimate,
    NotebookEstimate,
    Rejection,
    Selection,
)


def select_best(
    candidates: list[Candidate[E]],
    known: Mapping[str, Rejection],
    catalog: Catalog,
    filters: tuple[str, ...],
    assumptions: Callable[[Candidate[E]], Iterable[str]],
    locked: str | None,
    *,
    objective: Objective = Objective.LEAST_COST,
    max_usd_per_month: float | None = None,
    max_usd_per_run: float | None = None,
) -> Selection[E]:
    """Return the best candidate within the budgets, the others in their order, and what was rejected.

    ``known`` are the rejections of types that are no candidates, ``filters`` the names of all filters in their order.
    ``assumptions`` returns what the estimate of a candidate assumes. A candidate of the type ``locked`` counts as the best.
    Raises ``NoFeasibleInstanceError``.
    """
    candidates, over_run = _within_budget(candidates, _usd_per_run, max_usd_per_run, "a run costs {cost}")
    candidates, over_month = _within_budget(
        candidates, lambda c: c.cost.usd_per_month, max_usd_per_month, "costs {cost} per month"
    )
    known = {**known, **over_run, **over_month}
    rejected = tuple(known[t.name] for t in catalog.instance_types if t.name in known)
    if not candidates:
        raise no_feasible(rejected, filters)
    if objective is Objective.LEAST_LATENCY:
        # A time within a range that is too wide says nothing.
        candidates.sort(
            key=lambda c: (
                bool(c.estimate.not_predicted),
                time_of(c.estimate),
                _cost_order(c),
                c.instance_type,
            )
        )
    else:
        # Ties: the faster one, then the name.
        candidates.sort(key=lambda c: (_cost_order(c), time_of(c.estimate), c.instance_type))
    candidates.sort(key=lambda c: c.instance_type != locked)
    return Selection(
        chosen=candidates[0],
        runners_up=tuple(candidates[1:]),
        rejected=rejected,
        assumptions=tuple(assumptions(candidates[0])),
    )


def _cost_order(candidate: Candidate[E]) -> tuple[bool, float]:
    return cost_order(candidate.cost, candidate.estimate)


def _usd_per_run(candidate: Candidate[E]) -> float | None:
    estimate = candidate.estimate
    return None if isinstance(estimate, EndpointEstimate | NotebookEstimate) else estimate.usd_per_run


def _within_budget(
    candidates: list[Candidate[E]],
    cost_usd: Callable[[Candidate[E]], float | None],
    budget_usd: float | None,
    too_much: str,
) -> tuple[list[Candidate[E]], dict[str, Rejection]]:
    """Return the candidates that the budget allows, and the rejections of the others by instance type.

    ``too_much`` is the reason, with ``{cost}`` in it. An unknown price is over every budget. None allows every candidate.
    """
    if budget_usd is None:
        return candidates, {}
    kept, over = [], {}
    for c in candidates:
        cost = cost_usd(c)
        if cost is not None and cost <= budget_usd:
            kept.append(c)
            continue
        reason = "its price is not known" if cost is None else too_much.format(cost=f"{cost:,.2f} USD")
        shortfall = None if cost is None else cost / budget_usd
        miss = Miss(f"{reason}, the budget is {budget_usd:,.2f}", shortfall)
        over[c.instance_type] = rejection(c.instance_type, "budget", miss)
    return kept, over
