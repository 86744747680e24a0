"""Meanings that the two values say by themselves: on and off, more and less, what a list lost."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sizewell.review.configuration.differences import MISSING, Difference
from sizewell.review.configuration.environment import Environment
from sizewell.review.configuration.yaml_text import one_line

#: Items of a list that are named; what is more is counted.
MAX_ITEMS = 4


@dataclass(frozen=True)
class Facts:
    """A difference, and the configurations that it stands in."""

    difference: Difference
    base_environment: Environment
    head_environment: Environment

    @property
    def base(self) -> Any:
        """The value of base."""
        return self.difference.base

    @property
    def head(self) -> Any:
        """The value of head."""
        return self.difference.head

    @property
    def workload(self) -> str:
        """The name of the workload that the key belongs to."""
        return self.difference.path[1]


def says(
    *, changed: str = "", added: str = "", removed: str = "", to: str | None = None
) -> Callable[[Facts], str]:
    """Return a sentence for each way to change; ``to`` is the only value of head that it holds for."""

    def tell(facts: Facts) -> str:
        if to is not None and facts.head != to:
            return ""
        if facts.base is MISSING:
            return added
        return removed if facts.head is MISSING else changed

    return tell


def becomes(*, on: str, off: str) -> Callable[[Facts], str]:
    """Return a sentence for a flag."""

    def tell(facts: Facts) -> str:
        return on if facts.head is True else off if facts.head is False else ""

    return tell


def lower_or_higher(lower: str, higher: str) -> Callable[[Facts], str]:
    """Return a sentence for a number that falls or rises."""

    def tell(facts: Facts) -> str:
        base, head = number(facts.base), number(facts.head)
        if base is None or head is None:
            return ""
        return lower if head < base else higher

    return tell


def limit(lower: str, higher: str) -> Callable[[Facts], str]:
    """Return a sentence for a limit that falls or rises; to state one is to lower it, to drop it is to raise it."""
    compare = lower_or_higher(lower, higher)

    def tell(facts: Facts) -> str:
        if facts.base is MISSING:
            return lower
        return higher if facts.head is MISSING else compare(facts)

    return tell


def capped(shorter: str, longer: str) -> Callable[[Facts], str]:
    """Return a sentence for a period, with its new length in the braces of ``shorter``."""
    compare = lower_or_higher(shorter, longer)

    def tell(facts: Facts) -> str:
        return compare(facts).replace("{}", one_line(facts.head))

    return tell


def share(*, removed: str, added: str) -> Callable[[Facts], str]:
    """Return the change of an amount in percent."""

    def tell(facts: Facts) -> str:
        base, head = number(facts.base), number(facts.head)
        if base is None or head is None or base <= 0:
            return says(removed=removed, added=added)(facts)
        percent = (head - base) / base * 100
        return f"{percent:+,.0f} %" if abs(percent) >= 1 else f"{percent:+.2g} %"

    return tell


def times(facts: Facts) -> str:
    """Return the factor between two numbers: ``x2.0``."""
    base, head = number(facts.base), number(facts.head)
    if base is None or head is None or base <= 0:
        return ""
    factor = head / base
    return f"x{factor:,.1f}" if factor >= 1.1 else f"x{factor:.3g}"


def items(*, lost: str, gained: str, removed: str = "", added: str = "") -> Callable[[Facts], str]:
    """Return what a list lost and gained, as ``{items}`` of the sentences, with ``{are}`` for is or are.

    ``removed`` and ``added`` are of a whole list.
    """

    def tell(facts: Facts) -> str:
        base, head = texts(facts.base), texts(facts.head)
        if facts.base is MISSING and added:
            return _filled(added, head)
        if facts.head is MISSING and removed:
            return _filled(removed, base)
        gone = [item for item in base if item not in head]
        new = [item for item in head if item not in base]
        told = [_filled(sentence, some) for sentence, some in ((lost, gone), (gained, new)) if some]
        return "; ".join(told)

    return tell


def number(value: Any) -> float | None:
    """Return a number; a flag is none."""
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def texts(value: Any) -> list[str]:
    """Return the items of a list as texts."""
    return (
        [item if isinstance(item, str) else one_line(item) for item in value]
        if isinstance(value, list)
        else []
    )


def _filled(sentence: str, named: list[str]) -> str:
    more = len(named) - MAX_ITEMS
    words = [*named[:MAX_ITEMS], f"{more} more"] if more > 0 else named
    listed = " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:]))) or "nothing"
    return sentence.format(items=listed, are="is" if len(named) < 2 else "are")
