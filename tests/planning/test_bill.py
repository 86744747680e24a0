"""The bill adds up what is known, and says what is not."""

import pytest

from sizewell.instance_selection import Cost, PriceBasis
from sizewell.planning.bill import build_bill


def cost(usd_per_month: float | None, basis: PriceBasis = PriceBasis.PUBLISHED) -> Cost:
    return Cost(usd_per_hour=None, usd_per_month=usd_per_month, basis=basis, price_date=None)


def test_known_costs_add_up() -> None:
    bill = build_bill([("a", cost(100)), ("b", cost(50))], None)
    assert bill.usd_per_month == 150
    assert bill.published_share == 1
    assert bill.unknown == ()


def test_unknown_is_not_zero() -> None:
    bill = build_bill([("a", cost(100)), ("b", cost(None, PriceBasis.UNKNOWN))], None)
    assert bill.unknown == ("b",)
    assert bill.lines[1].usd_per_month is None
    assert bill.usd_per_month == 100


def test_share_of_published_prices() -> None:
    bill = build_bill([("a", cost(75)), ("b", cost(25, PriceBasis.ESTIMATED))], None)
    assert bill.published_share == pytest.approx(0.75)


def test_nothing_known_has_no_share() -> None:
    bill = build_bill([("a", cost(None, PriceBasis.UNKNOWN))], None)
    assert bill.published_share is None


def test_bill_says_what_it_leaves_out() -> None:
    assert "EBS volumes" in build_bill([], None).not_included
