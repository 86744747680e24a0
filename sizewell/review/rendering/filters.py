"""What the templates of every format may call."""

from collections.abc import Callable
from typing import Any

from sizewell.review.model import ResourceChange
from sizewell.review.rendering import cost_lines, groups, lines, permission_words, words
from sizewell.templates.deployment import REPLACED

FILTERS: dict[str, Callable[..., Any]] = {
    "amounts": lines.amounts,
    "basis": words.BASES.__getitem__,
    "bounds": words.bounds,
    "budget": cost_lines.budget,
    "counted": words.counted,
    "direction": words.DIRECTIONS.__getitem__,
    "effect": words.EFFECTS.__getitem__,
    "expected": words.expected,
    "figures_line": lines.figures_line,
    "level": words.LEVELS.__getitem__,
    "listed": words.listed,
    "lock_line": lines.lock_line,
    "per_1000_requests": lines.per_1000_requests,
    "percent": words.percent,
    "reasons": lines.reasons,
    "said": permission_words.said,
    "selection_title": groups.selection_title,
    "severity": words.SEVERITIES.__getitem__,
    "side_line": words.side_line,
    "types_line": lines.types_line,
    "usd": words.usd,
    "usd_difference": words.usd_difference,
}


def is_hurting(change: ResourceChange) -> bool:
    """Return whether the action takes a resource away, for good or to put another in its place."""
    return change.action in (*REPLACED, "removed")


def is_losing(change: ResourceChange) -> bool:
    """Return whether data or keys may go with the resource."""
    return change.stateful and not change.retained and is_hurting(change)


TESTS: dict[str, Callable[..., bool]] = {"hurting": is_hurting, "losing": is_losing}
