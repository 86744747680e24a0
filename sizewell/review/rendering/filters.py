"""The templates of every format, and what they may call."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from sizewell.review.model import ResourceChange
from sizewell.review.rendering import cost_lines, groups, lines, permission_words, words
from sizewell.review.words import counted
from sizewell.templates.deployment import REPLACED

TEMPLATES = Path(__file__).with_name("templates")

FILTERS: dict[str, Callable[..., Any]] = {
    "amounts": lines.amounts,
    "approval_line": lines.approval_line,
    "basis": words.BASES.__getitem__,
    "bounds": words.bounds,
    "budget": cost_lines.budget,
    "counted": counted,
    "direction": words.DIRECTIONS.__getitem__,
    "effect": words.EFFECTS.__getitem__,
    "expected": words.expected,
    "figures_line": lines.figures_line,
    "level": words.LEVELS.__getitem__,
    "listed": words.listed,
    "lock_line": lines.lock_line,
    "per_1000_requests": lines.per_1000_requests,
    "reasons": lines.reasons,
    "said": permission_words.said,
    "share": cost_lines.share,
    "selection_title": groups.selection_title,
    "severity": words.SEVERITIES.__getitem__,
    "side_line": words.side_line,
    "types_line": lines.types_line,
    "usd": words.usd,
    "usd_difference": words.usd_difference,
    "waived_line": lines.waived_line,
}


def is_hurting(change: ResourceChange) -> bool:
    """Return whether the action takes a resource away, for good or to put another in its place."""
    return change.action in (*REPLACED, "removed")


def is_losing(change: ResourceChange) -> bool:
    """Return whether data or keys may go with the resource."""
    return change.stateful and not change.retained and is_hurting(change)


TESTS: dict[str, Callable[..., bool]] = {
    "base_partly_unknown": cost_lines.base_is_partly_unknown,
    "head_partly_unknown": cost_lines.head_is_partly_unknown,
    "hurting": is_hurting,
    "losing": is_losing,
    "partly_unknown": cost_lines.is_partly_unknown,
}


def template_environment(
    finalize: Callable[[Any], Any], filters: dict[str, Callable[..., Any]]
) -> Environment:
    """Return the environment of a format: ``finalize`` makes any value safe there, ``filters`` are its own."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        finalize=finalize,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= FILTERS | filters
    environment.tests |= TESTS
    return environment
