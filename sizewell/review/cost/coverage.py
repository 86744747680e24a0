"""How much of a bill is known, and how old its prices are."""

from collections.abc import Iterable, Mapping

from sizewell.review.cost.components import WorkloadBill

UNDATED = "undated"


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
