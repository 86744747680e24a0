"""Three numbers that always go together, and how numbers read."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache, reduce

from sizewell.review.model.cost import Range


@dataclass(frozen=True, slots=True)
class Amounts:
    """How much at the least, expected and the most; all of it is known."""

    minimum: float
    expected: float
    maximum: float

    @classmethod
    def fixed(cls, number: float) -> "Amounts":
        """Return an amount that does not depend on anything."""
        return cls(number, number, number)

    def times(self, factor: float) -> "Amounts":
        """Return a multiple."""
        return Amounts(self.minimum * factor, self.expected * factor, self.maximum * factor)

    def __add__(self, other: "Amounts") -> "Amounts":
        return Amounts(
            self.minimum + other.minimum, self.expected + other.expected, self.maximum + other.maximum
        )

    def __sub__(self, other: "Amounts") -> "Amounts":
        return self + other.times(-1)


ZERO = Amounts.fixed(0.0)


def known_sum(amounts: Iterable[Amounts | None]) -> Amounts | None:
    """Return the sum of what is known; None where nothing is."""
    known = [amount for amount in amounts if amount is not None]
    return reduce(Amounts.__add__, known) if known else None


@lru_cache(maxsize=4096)
def to_range(amounts: Amounts | None) -> Range:
    """Return what a review shows: hundredths of a cent; unknown stays unknown."""
    if amounts is None:
        return Range(minimum=None, expected=None, maximum=None)
    return Range(
        minimum=_rounded(amounts.minimum),
        expected=_rounded(amounts.expected),
        maximum=_rounded(amounts.maximum),
    )


def _rounded(usd: float) -> float:
    return round(usd, 4) + 0.0  # never -0.0


def number_words(number: float) -> str:
    """Return a number with at most two decimals: ``1,460``, ``4.35``."""
    if float(number).is_integer():
        return f"{number:,.0f}"
    return f"{number:,.2f}".rstrip("0").rstrip(".")


def usd_words(usd: float) -> str:
    """Return USD with two decimals, or with as many as a small price has: ``1.50``, ``0.0000002``."""
    whole, _, decimals = f"{usd:.10f}".partition(".")
    return f"{whole}.{decimals.rstrip('0').ljust(2, '0')}"


def span_words(minimum: float, maximum: float) -> str:
    """Return both bounds, or one number where they are the same: ``2-3``, ``2``."""
    low, high = number_words(minimum), number_words(maximum)
    return low if low == high else f"{low}-{high}"
