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
Direction = Literal["weaker", "stronger", "neutral"]
"""Of a protection."""

#: Characters of a value in a table, in folded lines, which show more, and in a sentence: longer ones are cut, visibly.
_SHORT = 100
LONG = 1000
_LINE = 160
_MAX_NAMES = 5


def shown(value: object) -> str:
    """Return a canonical value for a sentence, shortened where it is long; ``none`` where it is not there."""
    if value is None or value == "":
        return "none"
    text = hide_assets(show(value))
    return text if len(text) <= _LINE else f"{text[:_LINE]}…"


def shown_pair(base: Any, head: Any, limit: int = _SHORT) -> tuple[str, str]:
    """Return canonical values of both sides for a table, from shortly before they differ where they would be cut before that.

    An asset that only has other content says so.
    """
    ours, theirs = _line(base), _line(head)
    if ours == theirs and base is not None:
        return _cut(ours, limit), f"{_cut(ours, limit)} (other content)"
    both = min(len(ours), len(theirs))
    differ = next((at for at in range(both) if ours[at] != theirs[at]), both)
    start = differ - limit // 2 if differ > limit * 3 // 4 else 0
    return _cut(ours, limit, start), _cut(theirs, limit, start)


def _line(value: Any) -> str:
    """Return a value in one line; nothing for a value that is not there."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return hide_assets(text).replace("${!", "${")


def _cut(text: str, limit: int, start: int = 0) -> str:
    more = len(text) - start - limit
    ending = f" ... ({more:,} more characters)" if more > 0 else ""
    return f"{'... ' if start else ''}{text[start : start + limit]}{ending}"


def counted(number: float | None, noun: str, plural: str = "") -> str:
    """Return ``2 instances``, ``1 instance`` or, where nobody knows, ``an unknown number of instances``."""
    many = plural or f"{noun}s"
    if number is None:
        return f"an unknown number of {many}"
    return f"{number:,g} {noun if number == 1 else many}"


def listed(names: Iterable[str]) -> str:
    """Return ``a, b and c``; of many the first ones, and how many more there are."""
    given = list(names)
    if len(given) > _MAX_NAMES:
        rest = len(given) - _MAX_NAMES
        return f"{', '.join(given[:_MAX_NAMES])} and {rest} more"
    return " and ".join([", ".join(given[:-1]), given[-1]] if len(given) > 1 else given)


def moved(base: object, head: object) -> str:
    """Return ``from -> to``."""
    return f"{shown(base)} → {shown(head)}"
