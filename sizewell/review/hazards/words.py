"""Words for numbers and lists."""

from collections.abc import Iterable

from sizewell.checks.literals import show
from sizewell.review.canonical import hide_assets

_MOST_NAMES = 5
_LONGEST = 160


def counted(number: float | None, noun: str, plural: str = "") -> str:
    """Return ``2 instances``, ``1 instance`` or, where nobody knows, ``an unknown number of instances``."""
    many = plural or f"{noun}s"
    if number is None:
        return f"an unknown number of {many}"
    return f"{number:,g} {noun if number == 1 else many}"


def listed(names: Iterable[str]) -> str:
    """Return ``a, b and c``; of many the first ones, and how many more there are."""
    given = list(names)
    if len(given) > _MOST_NAMES:
        rest = len(given) - _MOST_NAMES
        return f"{', '.join(given[:_MOST_NAMES])} and {rest} more"
    return " and ".join([", ".join(given[:-1]), given[-1]] if len(given) > 1 else given)


def shown(value: object) -> str:
    """Return a value of a template in one line, shortened where it is long; ``none`` where it is not there."""
    if value is None or value == "":
        return "none"
    text = hide_assets(show(value))
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def moved(base: object, head: object) -> str:
    """Return ``from -> to``."""
    return f"{shown(base)} → {shown(head)}"
