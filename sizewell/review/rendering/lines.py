"""The sentences that formats build from several fields."""

import re
from collections.abc import Sequence

from sizewell.review.model import (
    Approval,
    CostSide,
    PickSide,
    Range,
    ResourceChange,
    SelectionChange,
    WaivedFinding,
    WorkloadCost,
)
from sizewell.review.rendering.words import TIMES, pick_time, usd
from sizewell.review.words import counted, listed, shorten

#: What the command makes that follows a lock no longer.
_ADVICE = {"stale": "; run: sizewell lock", "infeasible": "; run: sizewell lock"}
#: Characters of a finding that somebody must approve: the sections below say the rest.
_SHORT_FINDING = 100
_LOCK_REFUSED = re.compile(r"the locked type (\S+) cannot be used: (.*)", re.DOTALL)


def approval_line(approval: Approval) -> str:
    """Return who must approve what; of several findings the first, and how many more there are."""
    shown = [shorten(finding, _SHORT_FINDING) for finding in approval.findings]
    return f"Needs approval of {listed(approval.by)} ({listed(shown, 1)})"


def waived_line(waived: WaivedFinding) -> str:
    """Return what stops nothing, until when, and why."""
    return f"Waived until {waived.until}: {waived.finding} ({waived.condition}). Reason: {waived.reason}"


def per_1000_requests(cost: WorkloadCost) -> str:
    """Return what a thousand requests cost on both sides; empty for what serves none."""
    base, head = ((side.usd_per_1000_requests if side else None) for side in (cost.base, cost.head))
    if base is None and head is None:
        return ""
    return (
        _small(head) if base is None else _small(base) if base == head else f"{_small(base)} → {_small(head)}"
    )


def property_lines(change: ResourceChange, most: int) -> list[str]:
    """Return each property that differs with its old and its new value, and of many how many more there are."""
    found = [
        f"{difference.path}: {difference.base or 'nothing'} → {difference.head or 'nothing'}"
        for difference in change.properties
    ]
    return [*found[:most], *([f"{len(found) - most} more properties"] if len(found) > most else [])]


def types_line(change: SelectionChange) -> str:
    """Return the old and the new type with their numbers of instances."""
    base, head = (_counted_type(pick) for pick in _picks(change))
    return head if base == head else f"{base} → {head}"


def figures_line(change: SelectionChange) -> str:
    """Return old and new cost and time."""
    costs = _moved([usd(pick.usd_per_month) for pick in _picks(change) if pick])
    times = _moved([pick_time(change.time_of, pick.time) for pick in _picks(change) if pick])
    return f"{costs} USD per month; {TIMES[change.time_of]} {times}"


def amounts(side: CostSide | None) -> Range | None:
    """Return what a side costs; None where it does not exist."""
    return side.usd_per_month if side else None


def lock_line(change: SelectionChange) -> str:
    """Return the state of the lock, the one before where it was another, and what to do where it does not hold."""
    advice = _ADVICE.get(change.head.lock, "") if change.head else ""
    return f"{_moved([pick.lock for pick in _picks(change) if pick])}{advice}"


def reasons(change: SelectionChange) -> tuple[str, ...]:
    """Return the reasons, each once: why a lock cannot be followed says why its type is no longer chosen."""
    refused = filter(None, map(_LOCK_REFUSED.fullmatch, change.reasons))
    said = {f"{found[1]} no longer meets the needs: {found[2]}" for found in refused}
    return tuple(reason for reason in dict.fromkeys(change.reasons) if reason not in said)


def picks_line(changes: Sequence[SelectionChange]) -> str:
    """Return how many workloads have another pick, and how many keep theirs."""
    moved = sum(_counted_type(change.base) != _counted_type(change.head) for change in changes)
    kept = f"{len(changes) - moved:,} kept" if moved < len(changes) else ""
    return ", ".join(filter(None, (f"{counted(moved, 'pick')} changed" if moved else "", kept)))


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
