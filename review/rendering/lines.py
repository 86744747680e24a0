"""The sentences that formats build from several fields."""

from collections.abc import Sequence

from review.model import CostSide, EnvironmentCost, PickSide, Range, SelectionChange, WorkloadCost
from review.rendering.words import TIMES, counted, listed, pick_time, usd


def coverage_lines(costs: Sequence[EnvironmentCost]) -> list[str]:
    """Return how far the bills can be trusted: each sentence once, with the environments for which it holds."""
    found: dict[str, list[str]] = {}
    for cost in costs:
        found.setdefault(_coverage(cost), []).append(cost.environment)
    return [f"{listed(environments)}: {line}" for line, environments in found.items()]


def _coverage(cost: EnvironmentCost) -> str:
    whole = cost.known_component_count + len(cost.unknown)
    parts = [f"{cost.known_component_count} of {counted(whole, 'component')} priced"]
    if cost.price_dates:
        parts.append(f"prices of {listed(cost.price_dates)}")
    if cost.unknown:
        parts.append(f"unknown: {listed(cost.unknown)}")
    if cost.not_priced:
        parts.append(f"not priced here: {listed(cost.not_priced)}")
    return "; ".join(parts)


def per_1000_requests(cost: WorkloadCost) -> str:
    """Return what a thousand requests cost on both sides; empty for what serves none."""
    base, head = ((side.usd_per_1000_requests if side else None) for side in (cost.base, cost.head))
    if base is None and head is None:
        return ""
    return (
        _small(head) if base is None else _small(base) if base == head else f"{_small(base)} → {_small(head)}"
    )


def types_line(change: SelectionChange) -> str:
    """Return the old and the new type with their numbers of instances."""
    base, head = (_counted_type(one) for one in _picks(change))
    return head if base == head else f"{base} → {head}"


def figures_line(change: SelectionChange) -> str:
    """Return old and new cost and time."""
    costs = _moved([usd(one.usd_per_month) for one in _picks(change) if one])
    times = _moved([pick_time(change.kind, one.time) for one in _picks(change) if one])
    return f"{costs} USD per month; {TIMES[change.kind]} {times}"


def budget(cost: EnvironmentCost) -> str:
    """Return the budget, and whether the expected bill of head is above it; a dash where there is none."""
    allowed, bill = cost.budget_usd_per_month, cost.head.expected if cost.head else None
    if allowed is None:
        return "—"
    return f"{usd(allowed)}, exceeded" if bill is not None and bill > allowed else usd(allowed)


def amounts(side: CostSide | None) -> Range | None:
    """Return what a side costs; None where it does not exist."""
    return side.usd_per_month if side else None


def lock_line(change: SelectionChange) -> str:
    """Return the state of the lock, and the one before where it was another."""
    return _moved([one.lock for one in _picks(change) if one])


def _counted_type(side: PickSide | None) -> str:
    return f"{side.instance_type} × {side.instance_count}" if side else "nothing"  # noqa: RUF001


def _picks(change: SelectionChange) -> tuple[PickSide | None, PickSide | None]:
    return change.base, change.head


def _moved(values: Sequence[str]) -> str:
    """Return both values with an arrow between them, or one where they are the same."""
    return " → ".join(dict.fromkeys(values))


def _small(value: float | None) -> str:
    """Return a price far below a dollar with three figures."""
    return usd(value) if value is None or value >= 1 else f"{value:.3g}"
