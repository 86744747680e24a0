"""What a resource pays for: amounts that are known, prices of one unit, and the charges that both make; and how numbers read."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Literal, NamedTuple

Basis = Literal["published", "estimated", "usage", "unknown"]


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
    """Return the sum of what is known; None where that is nothing, and what is not known is more: that is no zero."""
    parts = tuple(amounts)
    total = reduce(Amounts.__add__, (part for part in parts if part is not None), ZERO)
    return None if total == ZERO and (None in parts or not parts) else total


@dataclass(frozen=True, slots=True)
class UnitPrice:
    """USD for one unit; ``as_of`` is None where the source states no date."""

    usd: float
    unit: str
    as_of: str | None
    basis: Literal["published", "estimated"] = "published"
    note: str = ""

    @property
    def words(self) -> str:
        """As a review shows it: ``1.515 USD per hour``."""
        return f"{usd_words(self.usd)} USD per {self.unit}" + (f", {self.note}" if self.note else "")


@dataclass(frozen=True, slots=True)
class Count:
    """How many of a thing there are, and how many units of its price each of them takes in a month."""

    number: Amounts
    noun: str
    units_each: float = 1.0
    units: str = ""
    """``hours``; empty where the thing is the unit."""

    @property
    def words(self) -> str:
        """The expected number: ``2 instances, 1,460 hours``."""
        units = f", {number_words(self.number.expected * self.units_each)} {self.units}" if self.units else ""
        return f"{counted_noun(self.number.expected, self.noun)}{units}"

    def __add__(self, other: "Count") -> "Count":
        return Count(self.number + other.number, self.noun, self.units_each, self.units)


class Fact(NamedTuple):
    """What a charge depends on, so that a change can be told: ``2-3``, ``0.70`` with `` USD per hour``."""

    value: str
    suffix: str = ""


@dataclass(frozen=True, kw_only=True)
class Charge:
    """What is paid for one thing in a month; charges alike are added up."""

    service: str
    name: str
    slot: str
    """What it is compared with on the other side, whatever it is called there."""
    basis: Basis
    group: str = ""
    """What it is a part of, if that is compared as a whole: an endpoint may turn from instances to serverless."""
    price: UnitPrice | None = None
    usd_per_month: Amounts | None = None
    """None is unknown."""
    count: Count | None = None
    quantity: str = ""
    """In words, where ``count`` does not say it."""
    facts: Mapping[str, Fact] = field(default_factory=dict)
    """By name, for what the reasons of a change name by itself; other charges change by their count."""
    is_from_plan: bool = False
    """Whether only a plan knows it, and no template."""

    def merged(self, other: "Charge") -> "Charge":
        """Return the sum of two charges with the same slot, name and price."""
        usd, more = self.usd_per_month, other.usd_per_month
        return replace(
            self,
            usd_per_month=None if usd is None or more is None else usd + more,
            count=self.count + other.count if self.count and other.count else None,
        )


def by_count(
    service: str,
    name: str,
    count: Count,
    price: UnitPrice | None,
    *,
    slot: str = "",
    group: str = "",
    facts: Mapping[str, Fact] | None = None,
) -> Iterator[Charge]:
    """Yield what a known number of things costs; nothing for what is free."""
    if price is not None and price.usd == 0:
        return
    yield Charge(
        service=service,
        name=name,
        slot=slot or f"{service} {name}",
        group=group,
        basis=price.basis if price else "unknown",
        price=price,
        usd_per_month=count.number.times(count.units_each * price.usd) if price else None,
        count=count,
        facts=facts or {},
    )


def by_use(
    service: str, name: str, price: UnitPrice | None, *, slot: str = "", group: str = ""
) -> Iterator[Charge]:
    """Yield what is paid by a use that nothing states; nothing for what is free."""
    if price is not None and price.usd == 0:
        return
    yield Charge(
        service=service, name=name, slot=slot or f"{service} {name}", group=group, basis="usage", price=price
    )


def unknown(service: str, name: str, *, slot: str = "", group: str = "") -> Iterator[Charge]:
    """Yield a thing that is paid, though the template does not say how much of it."""
    yield Charge(service=service, name=name, slot=slot or f"{service} {name}", group=group, basis="unknown")


def counted_noun(number: float, noun: str) -> str:
    """Return a number with its noun: ``1 alarm``, ``2 VPC interface endpoints x 3 zones``."""
    if number == 1:
        return f"1 {noun}"
    head, separator, rest = noun.partition(" x ")
    first, of, tail = head.partition(" of ")
    ending = "es" if first.endswith("s") else "s"
    return f"{number_words(number)} {first}{ending}{of}{tail}{separator}{rest}"


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
