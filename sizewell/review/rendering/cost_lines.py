"""The sentences below the bills: budgets that the most would exceed, and how far the amounts can be trusted."""

from collections.abc import Iterable, Sequence

from sizewell.review.model import CostSide, EnvironmentCost
from sizewell.review.rendering.words import UNKNOWN, bounds, listed, percent, usd
from sizewell.review.words import counted

#: A source that states no date.
_UNDATED = "undated"
_CENT = 0.005


def budget(cost: EnvironmentCost) -> str:
    """Return the budget, and whether the expected bill of head is above it; a dash where there is none."""
    allowed, bill = cost.budget_usd_per_month, cost.head.expected if cost.head else None
    if allowed is None:
        return "—"
    return f"{usd(allowed)}, exceeded" if bill is not None and bill > allowed else usd(allowed)


def share(cost: EnvironmentCost) -> str:
    """Return the difference as a share of base, with its sign; unknown where the difference is."""
    return UNKNOWN if cost.difference.expected is None else percent(cost.difference_percent)


def is_partly_unknown(side: CostSide | None) -> bool:
    """Tell whether a workload has a type or a mode without a price: what is known of it is not all of it."""
    return side is not None and any(component.basis == "unknown" for component in side.components)


def base_is_partly_unknown(cost: EnvironmentCost) -> bool:
    """Tell whether a workload of base is partly unknown."""
    return any(is_partly_unknown(workload.base) for workload in cost.workloads)


def head_is_partly_unknown(cost: EnvironmentCost) -> bool:
    """Tell whether a workload of head is partly unknown."""
    return any(is_partly_unknown(workload.head) for workload in cost.workloads)


def budget_lines(costs: Sequence[EnvironmentCost]) -> list[str]:
    """Return a sentence for each environment whose most is above its budget, with the most of base."""
    return [f"{cost.environment}: {line}" for cost in costs if (line := _above_budget(cost))]


def range_lines(costs: Sequence[EnvironmentCost]) -> list[str]:
    """Return the least and the most of both sides, for tables without room for them."""
    return [f"{cost.environment}: least – most {_ranges(cost)}" for cost in costs]  # noqa: RUF001


def coverage_lines(costs: Sequence[EnvironmentCost], most: int = 6) -> list[str]:
    """Return how far the bills can be trusted: in full where an amount has moved or is newly unknown.

    Each sentence stands once with the environments for which it holds; the environments that stay share a short one.
    Of unknown amounts, ``most`` are named. An environment that head does not have has nothing to trust.
    """
    found: dict[str, list[str]] = {}
    costs = [cost for cost in costs if cost.head]
    for cost in filter(_is_news, costs):
        found.setdefault(_coverage(cost, most), []).append(cost.environment)
    lines = [f"{listed(environments)}: {line}" for line, environments in found.items()]
    still = [cost for cost in costs if not _is_news(cost)]
    return [*lines, _short_coverage(still)] if still else lines


def _above_budget(cost: EnvironmentCost) -> str:
    allowed, most = cost.budget_usd_per_month, cost.head.maximum if cost.head else None
    if allowed is None or most is None or most <= allowed:
        return ""
    before = cost.base.maximum if cost.base else None
    was = "" if before is None else ", as before" if abs(most - before) < _CENT else f" (was {usd(before)})"
    return f"at most {usd(most)}, above the budget of {usd(allowed)}{was}"


def _ranges(cost: EnvironmentCost) -> str:
    base = bounds(cost.base, base_is_partly_unknown(cost))
    head = bounds(cost.head, head_is_partly_unknown(cost))
    return " → ".join(dict.fromkeys((base, head)))


def _is_news(cost: EnvironmentCost) -> bool:
    difference = cost.difference
    amounts = (difference.minimum, difference.expected, difference.maximum)
    moved = any(amount is None or abs(amount) >= _CENT for amount in amounts)
    return (
        moved
        or cost.base is None
        or any(_unknown(workload.head) - _unknown(workload.base) for workload in cost.workloads)
    )


def _unknown(side: CostSide | None) -> set[tuple[str, str]]:
    components = side.components if side else ()
    return {
        (component.service, component.name)
        for component in components
        if component.usd_per_month.expected is None
    }


def _coverage(cost: EnvironmentCost, most: int) -> str:
    parts = [_priced([cost])]
    if cost.price_dates:
        parts.append(f"prices of {listed(cost.price_dates) if most else _period(cost.price_dates)}")
    for words, names in (("unknown", cost.unknown), ("not priced here", cost.not_priced)):
        if names:
            parts.append(f"{words}: {listed(names, most)}" if most else f"{len(names):,} {words}")
    return "; ".join(parts)


def _short_coverage(costs: Sequence[EnvironmentCost]) -> str:
    dates = _period(sorted({date for cost in costs for date in cost.price_dates}))
    prices = f", prices of {dates}" if dates else ""
    return f"{listed([cost.environment for cost in costs])}: {_priced(costs)}{prices}"


def _priced(costs: Sequence[EnvironmentCost]) -> str:
    known = sum(cost.known_component_count for cost in costs)
    return f"{known} of {counted(known + sum(len(cost.unknown) for cost in costs), 'component')} priced"


def _period(dates: Iterable[str]) -> str:
    """Return the first and the last date; that some prices have none is said as well."""
    found = list(dates)
    dated = [date for date in found if date != _UNDATED]
    ends = " to ".join(dict.fromkeys((dated[0], dated[-1]))) if dated else ""
    return " and ".join(filter(None, (ends, _UNDATED if _UNDATED in found else "")))
