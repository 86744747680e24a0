"""The budget filter. It comes last, because the cost of a candidate depends on everything else."""

from collections.abc import Callable

from sizewell.instance_selection.filters import Miss, rejection
from sizewell.instance_selection.results import Candidate, E, Rejection


def within_budget(
    candidates: list[Candidate[E]],
    cost_usd: Callable[[Candidate[E]], float | None],
    budget_usd: float | None,
    too_much: str,
) -> tuple[list[Candidate[E]], dict[str, Rejection]]:
    """Return the candidates that the budget allows, and the rejections of the others by instance type.

    ``too_much`` says with ``{cost}`` what costs that much. An unknown price is over every budget; without one, all are within.
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
