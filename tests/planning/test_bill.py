"""The bill adds up what is known, and says what is not."""

import pytest

from sizewell.instance_selection import PriceBasis
from sizewell.planning.bill import build_bill
from sizewell.planning.bill_plan import BillItem, BillLine


def item(
    usd_per_month: float | None,
    basis: PriceBasis = PriceBasis.PUBLISHED,
    *,
    name: str = "instances",
    fixed: bool = False,
) -> BillItem:
    return BillItem(
        service="SageMaker",
        name=name,
        usd_per_month=usd_per_month,
        basis=PriceBasis.UNKNOWN if usd_per_month is None else basis,
        is_fixed=fixed,
    )


def line(workload: str, *items: BillItem, paid_by_use: tuple[str, ...] = ()) -> BillLine:
    return BillLine(
        workload=workload,
        usd_per_month=items[0].usd_per_month,
        basis=items[0].basis,
        items=items,
        paid_by_use=paid_by_use,
    )


def test_known_costs_add_up() -> None:
    bill = build_bill([line("a", item(100)), line("b", item(50))], None)
    assert bill.usd_per_month == 150
    assert bill.published_share == 1
    assert bill.unknown == ()


def test_unknown_is_not_zero() -> None:
    bill = build_bill([line("a", item(100)), line("b", item(None), item(1, name="alarm"))], None)
    assert bill.unknown == ("b",)
    assert bill.lines[1].usd_per_month is None
    assert bill.usd_per_month == 101


def test_a_total_of_which_nothing_is_known_is_unknown() -> None:
    assert build_bill([line("a", item(None)), line("foundation", item(0.0))], 10).usd_per_month is None
    assert build_bill([], 10).usd_per_month == 0
    assert build_bill([line("a", item(0.0))], 10).usd_per_month == 0


def test_share_of_published_prices() -> None:
    bill = build_bill([line("a", item(75)), line("b", item(25, PriceBasis.ESTIMATED))], None)
    assert bill.published_share == pytest.approx(0.75)


def test_nothing_known_has_no_share() -> None:
    bill = build_bill([line("a", item(None))], None)
    assert bill.published_share is None


def test_what_is_paid_by_use_is_named_once() -> None:
    lines = [
        line("a", item(1), paid_by_use=("S3 storage", "KMS requests")),
        line("b", item(1), paid_by_use=("S3 storage",)),
    ]
    assert build_bill(lines, None).not_included == ("KMS requests", "S3 storage")


def test_fixed_costs_are_added_up_by_name_the_largest_first() -> None:
    alarms = item(2, name="alarm", fixed=True)
    unknown = item(None, name="endpoint", fixed=True)
    bill = build_bill(
        [line("a", item(9), alarms), line("b", item(9), item(3, name="key", fixed=True), unknown, alarms)],
        None,
    )
    assert bill.fixed_usd_per_month == 7
    assert list(bill.fixed_costs().items()) == [("alarm", 4), ("key", 3)]


def test_what_has_no_amount_is_named_where_the_line_itself_has_one() -> None:
    volumes = item(None, name="volumes")
    bill = build_bill(
        [line("a", item(9), volumes), line("b", item(9), volumes), line("c", item(None), volumes)], None
    )
    assert bill.unknown_items() == {"SageMaker volumes": ("a", "b")}
