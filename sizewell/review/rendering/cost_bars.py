"""The geometry of the cost bars: base above head, with the range that the scaling bounds allow."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sizewell.review.model import EnvironmentCost, Range, WorkloadCost
from sizewell.review.rendering.axes import Axis, Tick, axis_from_zero, short_number
from sizewell.review.rendering.cost_lines import (
    base_is_partly_unknown,
    head_is_partly_unknown,
    is_partly_unknown,
)
from sizewell.review.rendering.words import expected, percent, usd_difference

#: Longest label, in characters, that leaves room for the amounts on a small screen.
LABEL_LENGTH = 26
#: As many changed workloads are drawn, the largest difference first; the table has all.
MOST_WORKLOADS = 12


@dataclass(frozen=True, slots=True)
class Bar:
    """One amount: lengths in percent of the chart."""

    side: str
    length: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class BarRow:
    """What is compared, with its bars; an amount that is unknown, or not there, has none."""

    label: str
    text: str
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True)
class BarChart:
    """All rows on one scale."""

    rows: tuple[BarRow, ...]
    ticks: tuple[Tick, ...]


class _Side(NamedTuple):
    """What one bar stands for."""

    amounts: Range | None
    is_partly_unknown: bool

    @property
    def drawn(self) -> Range | None:
        """What is known in part has no length."""
        return None if self.is_partly_unknown else self.amounts


class _Row(NamedTuple):
    """A row before the scale is known."""

    label: str
    text: str
    base: _Side
    head: _Side


def environment_bars(costs: Sequence[EnvironmentCost]) -> BarChart | None:
    """Return the chart of the bills; None where no amount is known."""
    return _chart([_environment(cost) for cost in costs])


def _environment(cost: EnvironmentCost) -> _Row:
    base, head = (
        _Side(cost.base, base_is_partly_unknown(cost)),
        _Side(cost.head, head_is_partly_unknown(cost)),
    )
    return _Row(
        cost.environment,
        f"{_amounts(base, head, cost.difference)} {percent(cost.difference_percent)}".strip(),
        base,
        head,
    )


def workload_bars(changed: Sequence[WorkloadCost]) -> BarChart | None:
    """Return the chart of the workloads whose cost moves; None where none is known."""
    moving = [
        one for one in changed if one.difference.expected is None or abs(one.difference.expected) >= 0.005
    ]
    moving.sort(key=lambda one: -abs(one.difference.expected or 0.0))
    return _chart([_workload(one) for one in moving[:MOST_WORKLOADS]])


def _workload(cost: WorkloadCost) -> _Row:
    base, head = (
        _Side(side.usd_per_month if side else None, is_partly_unknown(side))
        for side in (cost.base, cost.head)
    )
    return _Row(f"{cost.environment} · {cost.workload}", _amounts(base, head, cost.difference), base, head)


def _amounts(base: _Side, head: _Side, difference: Range) -> str:
    amounts = (expected(side.amounts, side.is_partly_unknown) for side in (base, head))
    return f"{' → '.join(amounts)} ({usd_difference(difference.expected)})"


def _chart(rows: Sequence[_Row]) -> BarChart | None:
    known = [
        amount
        for row in rows
        for side in (row.base.drawn, row.head.drawn)
        if side
        for amount in (side.expected, side.maximum)
        if amount is not None
    ]
    if not known:
        return None
    axis = axis_from_zero(known)
    return BarChart(
        tuple(
            BarRow(
                _short(row.label),
                row.text,
                (*_bar("base", row.base.drawn, axis), *_bar("head", row.head.drawn, axis)),
            )
            for row in rows
        ),
        axis.ticks(short_number),
    )


def _short(label: str) -> str:
    return label if len(label) <= LABEL_LENGTH else f"{label[: LABEL_LENGTH - 1]}…"


def _bar(side: str, amounts: Range | None, axis: Axis) -> tuple[Bar, ...]:
    if amounts is None or amounts.expected is None:
        return ()
    middle = amounts.expected
    low = middle if amounts.minimum is None else amounts.minimum
    high = middle if amounts.maximum is None else amounts.maximum
    return (Bar(side, axis.percent(middle), axis.percent(low), axis.percent(high)),)
