from sizewell.instance_selection.catalog import Catalog, Offer, PriceRow, Usage
from tests.instance_selection.builders import cpu_instance

NAME = "ml.r6i.large"


def offer(
    usage: Usage,
    *,
    usages: frozenset[Usage] = frozenset(Usage),
    listed: frozenset[str] = frozenset(),
    prices: tuple[PriceRow, ...] = (),
    corrections: dict[tuple[str, str], str] | None = None,
) -> Offer:
    instance_type = cpu_instance(NAME, usages=usages)
    catalog = Catalog(
        "eu-west-1", [instance_type], listed={NAME: listed}, prices=prices, corrections=corrections
    )
    answer = catalog.offer(NAME, usage)
    assert catalog.is_offered(NAME, usage) is answer.offered
    return answer


def test_a_type_outside_the_enum_is_not_offered_even_when_it_has_a_price() -> None:
    answer = offer(Usage.HOSTING, usages=frozenset({Usage.TRAINING}), listed=frozenset({"hosting"}))

    assert not answer.offered
    assert "does not accept ml.r6i.large for hosting" in answer.reason


def test_a_priced_usage_is_offered() -> None:
    answer = offer(Usage.HOSTING, listed=frozenset({"hosting"}))

    assert answer == (True, "AWS publishes a hosting price for it in eu-west-1")


def test_an_enum_value_without_a_price_is_not_offered() -> None:
    answer = offer(Usage.HOSTING, listed=frozenset({"transform"}))

    assert answer == (False, "AWS does not publish a hosting price for it in eu-west-1")


def test_a_published_training_price_is_an_offer() -> None:
    answer = offer(Usage.TRAINING, prices=(PriceRow(NAME, "training", 0.15, "note", "2026-09-24"),))

    assert answer == (True, "AWS publishes a training price for it in eu-west-1")


def test_training_is_assumed_where_another_usage_is_priced() -> None:
    answer = offer(Usage.TRAINING, listed=frozenset({"processing", "cluster"}))

    words = "AWS prices it for cluster, processing in eu-west-1; no list says so for training"
    assert answer == (True, words)


def test_training_is_assumed_away_where_nothing_is_priced() -> None:
    answer = offer(Usage.TRAINING, prices=(PriceRow(NAME, "ec2", 0.126, "dump", "2026-02-17"),))

    assert answer == (False, "AWS prices no usage of it in eu-west-1; no list says so for training")


def test_a_correction_goes_before_an_assumption_and_gives_its_reason() -> None:
    corrections = {("r6i", "training"): "no Training price anywhere"}

    answer = offer(Usage.TRAINING, listed=frozenset({"processing"}), corrections=corrections)

    assert (answer.offered, answer.reason) == (False, "no Training price anywhere")
    assert offer(Usage.PROCESSING, listed=frozenset({"processing"}), corrections=corrections).offered
