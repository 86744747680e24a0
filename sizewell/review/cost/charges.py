"""One thing that a resource pays for."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from sizewell.review.cost.amounts import Amounts, number_words
from sizewell.review.cost.prices import UnitPrice

Basis = Literal["published", "estimated", "usage", "unknown"]


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
