import pytest

from sizewell.instance_selection.catalog import (
    EC2,
    Catalog,
    PriceBasis,
    PriceRatio,
    PriceRow,
    UnknownInstanceTypeError,
    Usage,
)
from tests.instance_selection.builders import cpu_instance

G5, G5_XLARGE = (cpu_instance(name, usages=frozenset(Usage)) for name in ("ml.g5.2xlarge", "ml.g5.xlarge"))
RATIOS = (PriceRatio("g5", "*", 1.25, 15, ("bill",)), PriceRatio("g5", "xlarge", 1.4, 5, ("list",)))


def catalog(*prices: PriceRow, ratios: tuple[PriceRatio, ...] = RATIOS) -> Catalog:
    return Catalog(
        "eu-west-1", [G5, G5_XLARGE], prices=prices, ratios=ratios, reliability={"dump": "B", "note": "A"}
    )


def row(
    usage: str, usd_per_hour: float, source_id: str = "dump", as_of: str | None = "2026-09-24"
) -> PriceRow:
    return PriceRow(G5.name, usage, usd_per_hour, source_id, as_of)


def test_the_published_price_of_the_usage_comes_first() -> None:
    prices = catalog(row("training", 1.6), row("hosting", 1.5), row(EC2, 1.0))

    price = prices.price(G5.name, Usage.HOSTING)

    assert (price.usd_per_hour, price.basis, price.source_ids) == (1.5, PriceBasis.PUBLISHED, ("dump",))
    assert price.as_of == "2026-09-24"
    assert price.note == ""


@pytest.mark.parametrize("other", ["training", "notebook", "studio"])
def test_the_price_of_another_usage_is_published_too_and_says_so(other: str) -> None:
    price = catalog(row(other, 1.6), row(EC2, 1.0)).price(G5.name, Usage.HOSTING)

    assert (price.usd_per_hour, price.basis) == (1.6, PriceBasis.PUBLISHED)
    assert other in price.note


def test_an_ec2_price_and_a_verified_ratio_give_an_estimate_with_both_sources() -> None:
    price = catalog(row(EC2, 1.212, as_of="2026-02-17")).price(G5.name, Usage.TRAINING)

    assert price.usd_per_hour == 1.515
    assert price.basis is PriceBasis.ESTIMATED
    assert price.source_ids == ("dump", "bill")
    assert price.as_of == "2026-02-17"
    assert "1.212 x 1.25" in price.note


def test_the_ratio_of_a_size_goes_before_the_ratio_of_its_family() -> None:
    prices = catalog(PriceRow(G5_XLARGE.name, EC2, 1.0, "dump", "2026-02-17"))

    assert prices.price(G5_XLARGE.name, Usage.HOSTING).usd_per_hour == 1.4


@pytest.mark.parametrize(
    ("prices", "ratios", "missing"),
    [
        pytest.param((row(EC2, 1.0),), (), "no verified ratio to EC2 for g5", id="no ratio"),
        pytest.param((), RATIOS, "no EC2 on-demand price", id="no EC2 price"),
    ],
)
def test_what_cannot_be_derived_is_unknown_and_not_zero(
    prices: tuple[PriceRow, ...], ratios: tuple[PriceRatio, ...], missing: str
) -> None:
    price = catalog(*prices, ratios=ratios).price(G5.name, Usage.HOSTING)

    assert price.usd_per_hour is None
    assert price.basis is PriceBasis.UNKNOWN
    assert missing in price.note


def test_of_two_sources_the_newest_wins_and_the_conflict_is_noted() -> None:
    rows = (row("hosting", 1.7, "dump", "2025-01-01"), row("hosting", 1.5, "note", "2026-01-01"))

    for order in (rows, rows[::-1]):
        price = catalog(*order).price(G5.name, Usage.HOSTING)
        assert (price.usd_per_hour, price.source_ids) == (1.5, ("note",))
        assert "1.5 to 1.7" in price.note


def test_of_two_sources_of_one_day_the_more_reliable_wins_in_any_order() -> None:
    rows = (row("hosting", 1.7, "note"), row("hosting", 1.5, "dump"))

    for order in (rows, rows[::-1]):
        assert catalog(*order).price(G5.name, Usage.HOSTING).source_ids == ("note",)


def test_a_dated_price_goes_before_an_undated_one() -> None:
    prices = catalog(row("hosting", 1.7, "dump", None), row("hosting", 1.5, "note", "2023-01-01"))

    assert prices.price(G5.name, Usage.HOSTING).usd_per_hour == 1.5


def test_an_undated_price_says_so() -> None:
    price = catalog(row("hosting", 1.5, as_of=None)).price(G5.name, Usage.HOSTING)

    assert price.as_of is None
    assert "no date" in price.note


def test_a_price_of_an_unknown_type_is_an_error() -> None:
    with pytest.raises(UnknownInstanceTypeError):
        catalog().price("ml.g5.3xlarge", Usage.HOSTING)
