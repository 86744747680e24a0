"""The charges of a workload as the lines of a bill, how much of it is known, and how old its prices are."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from sizewell.facts.billing import SECONDS_PER_MONTH
from sizewell.planning.saved_workload import SavedEndpoint, SavedWorkload
from sizewell.review.cost.charges import ZERO, Amounts, Basis, Charge, UnitPrice, known_sum
from sizewell.review.model import CostComponent, CostSide, Range

UNDATED = "undated"


@dataclass(frozen=True)
class WorkloadBill:
    """What one workload costs on one side."""

    charges: tuple[Charge, ...]
    """Merged: see ``merge_charges``."""
    not_priced: frozenset[str] = frozenset()
    workload: SavedWorkload | None = None

    @cached_property
    def usd_per_month(self) -> Amounts | None:
        """The sum of what is known; zero only where there is nothing to pay."""
        if not self.charges and not self.not_priced:
            return ZERO
        return known_sum(charge.usd_per_month for charge in self.charges)

    @cached_property
    def slots(self) -> Mapping[str, tuple[Charge, ...]]:
        """The charges by what they are compared by."""
        slots: dict[str, tuple[Charge, ...]] = {}
        for charge in self.charges:
            slots[charge.slot] = (*slots.get(charge.slot, ()), charge)
        return slots

    @cached_property
    def side(self) -> CostSide:
        """As a review shows it, the largest amount first."""
        return CostSide(
            components=tuple(component(charge) for charge in sorted(self.charges, key=_order)),
            usd_per_month=to_range(self.usd_per_month),
            usd_per_1000_requests=self._usd_per_1000_requests(),
        )

    def _usd_per_1000_requests(self) -> float | None:
        if not isinstance(self.workload, SavedEndpoint) or self.usd_per_month is None:
            return None
        per_second = self.workload.answered_requests_per_second
        if not per_second:
            return None
        return round(self.usd_per_month.expected / (per_second * SECONDS_PER_MONTH / 1000), 6)


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


def merge_charges(charges: Iterable[Charge]) -> tuple[Charge, ...]:
    """Add up charges with the same slot, name and price."""
    merged: dict[tuple[object, ...], Charge] = {}
    for charge in charges:
        key = (charge.slot, charge.name, charge.basis, charge.price)
        merged[key] = merged[key].merged(charge) if key in merged else charge
    return tuple(merged.values())


def component(charge: Charge) -> CostComponent:
    """Return one line."""
    quantity = charge.count.words if charge.count else charge.quantity
    return _component(charge.service, charge.name, quantity, charge.price, charge.usd_per_month, charge.basis)


@lru_cache(maxsize=4096)
def _component(
    service: str,
    name: str,
    quantity: str,
    price: UnitPrice | None,
    usd_per_month: Amounts | None,
    basis: Basis,
) -> CostComponent:
    """Most workloads have many lines alike."""
    return CostComponent(
        service=service,
        name=name,
        quantity=quantity,
        unit_price=price.words if price else "",
        usd_per_month=to_range(usd_per_month),
        basis=basis,
        price_date=price.as_of if price else None,
    )


def _order(charge: Charge) -> tuple[float, str, str, str]:
    expected = charge.usd_per_month.expected if charge.usd_per_month else -1.0
    return -expected, charge.service, charge.name, charge.slot


def known_components(bills: Mapping[str, WorkloadBill]) -> int:
    """Count the components whose amount is known."""
    return sum(1 for bill in bills.values() for charge in bill.charges if charge.usd_per_month is not None)


def unknown_words(bills: Mapping[str, WorkloadBill]) -> tuple[str, ...]:
    """Return what is not known, one line for all workloads that have it."""
    workloads: dict[tuple[str, str, str], list[str]] = {}
    for name, bill in sorted(bills.items()):
        for charge in bill.charges:
            if charge.usd_per_month is None:
                reason = "paid by use" if charge.basis == "usage" else "no price or no amount known"
                workloads.setdefault((charge.service, charge.name, reason), []).append(name)
    return tuple(
        f"{service} {name} of {_of(names)}: {reason}"
        for (service, name, reason), names in sorted(workloads.items())
    )


def price_dates(bills: Iterable[WorkloadBill]) -> tuple[str, ...]:
    """Return the dates of all prices that amounts are made of."""
    return tuple(
        sorted(
            {
                charge.price.as_of or UNDATED
                for bill in bills
                for charge in bill.charges
                if charge.price and charge.usd_per_month is not None
            }
        )
    )


def _of(names: list[str]) -> str:
    distinct = list(dict.fromkeys(names))
    return distinct[0] if len(distinct) == 1 else f"{len(distinct)} workloads"
