"""Words for numbers, lists and changes, which all sections use."""

from collections.abc import Iterable

from sizewell.templates.shown import one_line as shown

__all__ = ["counted", "listed", "moved", "shown"]

_MAX_NAMES = 5


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
