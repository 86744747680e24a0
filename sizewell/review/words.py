"""Words that all sections use: for how much something matters, for values, numbers, lists and changes."""

import json
from collections.abc import Iterable
from typing import Any, Literal, get_args

from sizewell.templates.canonical import hide_assets
from sizewell.templates.values import show

Severity = Literal["danger", "warning", "notice"]
"""danger: may lose data, traffic or protection; warning: know it before you deploy; notice: good to know."""
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
"""The worst first."""
Effect = Literal["availability", "durability", "security", "alerting", "money", "correctness", "recovery"]
"""What suffers from a change.

availability: requests or runs fail, wait or are throttled; durability: data are lost, or can be; security: more is allowed,
reachable or readable; alerting: people are told less, later or wrongly; money: it costs more; correctness: other results;
recovery: a failure lasts longer, or a bad update is not rolled back.
"""
EFFECTS: tuple[Effect, ...] = get_args(Effect)
#: What is told first of hazards that are as severe.
WORST_EFFECTS: tuple[Effect, ...] = (
    "availability",
    "durability",
    "security",
    "correctness",
    "recovery",
    "alerting",
    "money",
)
Direction = Literal["weaker", "stronger", "neutral"]
"""Of a protection."""

#: Characters of a value in a table, in folded lines, which show more, and in a sentence: longer ones are cut, visibly.
_SHORT = 100
LONG = 1000
_LINE = 160
MAX_NAMES = 6


def shown(value: object) -> str:
    """Return a canonical value for a sentence, shortened where it is long; ``none`` where it is not there."""
    if value is None or value == "":
        return "none"
    return shorten(hide_assets(show(value)), _LINE)


def shown_pair(base: Any, head: Any, limit: int = _SHORT) -> tuple[str, str]:
    """Return canonical values of both sides for a table. An asset that only has other content says so."""
    ours, theirs = _line(base), _line(head)
    if ours == theirs and base is not None:
        return shorten(ours, limit), f"{shorten(ours, limit)} (other content)"
    return shorten_pair(ours, theirs, limit)


def _line(value: Any) -> str:
    """Return a value in one line; nothing for a value that is not there."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return hide_assets(text).replace("${!", "${")


def shorten(text: str, limit: int, start: int = 0) -> str:
    """Return the text from ``start`` on, at most ``limit`` characters, and how many more follow."""
    more = len(text) - start - limit
    ending = f"… ({more:,} more characters)" if more > 0 else ""
    return f"{'…' if start else ''}{text[start : start + limit]}{ending}"


def shorten_pair(base: str, head: str, limit: int) -> tuple[str, str]:
    """Return both texts shortened; where they differ late, both begin shortly before that place."""
    both = min(len(base), len(head))
    differ = next((at for at in range(both) if base[at] != head[at]), both)
    is_late = differ > limit * 3 // 4 and max(len(base), len(head)) > limit
    start = differ - limit // 2 if is_late else 0
    return shorten(base, limit, start), shorten(head, limit, start)


def counted(number: float | None, noun: str, plural: str = "") -> str:
    """Return a number with its noun: ``1 instance``, ``3 policies``; ``an unknown number of policies`` for None."""
    many = plural or f"{noun}s"
    if number is None:
        return f"an unknown number of {many}"
    return f"{number:,.10g} {noun if number == 1 else many}"


def listed(names: Iterable[str], most: int = MAX_NAMES) -> str:
    """Return ``a, b and c``; of many names the first ones, and how many more there are."""
    given = list(names)
    if len(given) > most:
        return f"{', '.join(given[:most])} and {len(given) - most:,} more"
    return " and ".join([", ".join(given[:-1]), given[-1]] if len(given) > 1 else given)


def moved(base: object, head: object) -> str:
    """Return ``from → to``."""
    return f"{shown(base)} → {shown(head)}"
