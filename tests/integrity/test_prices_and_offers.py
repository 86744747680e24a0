import pytest

from sizewell.instance_selection.catalog import PriceBasis, Usage, load_catalog, regions

Row = dict[str, str]
Tables = dict[str, list[Row]]

#: SageMaker prices are rounded to three or four decimals, which shows most on the smallest types.
RATIO_TOLERANCE = 0.006

# Priced by AWS, but not in the enum of the API: the enum decides.
PRICED_BUT_NOT_ACCEPTED = {
    "hosting": {"ml.r5.8xlarge", "ml.r5.16xlarge", "ml.t3.medium", "ml.t3.large", "ml.t3.xlarge", "ml.t3.2xlarge"},
    "processing": {"ml.c6i.large", "ml.p6-b200.48xlarge", "ml.p6-b300.48xlarge"},
    "transform": {
        *(f"ml.r5.{size}" for size in ("large", "xlarge", "2xlarge", "4xlarge", "8xlarge")),
        *(f"ml.r5.{size}" for size in ("12xlarge", "16xlarge", "24xlarge")),
        *(f"ml.t3.{size}" for size in ("large", "xlarge", "2xlarge")),
    },
}  # fmt: skip

# The advisor's saving is negative: Spot cost more than on-demand.
DEARER_ON_SPOT = {("ca-central-1", "ml.p5.48xlarge")}


def ratio_row(tables: Tables, family: str, size: str) -> Row | None:
    found = {row["size"]: row for row in tables["price_ratios"] if row["family"] == family}
    return found.get(size) or found.get("*")


def published_pairs(tables: Tables) -> list[tuple[Row, float]]:
    """Every SageMaker price with its quotient by the EC2 price of the same type and region."""
    ec2 = {
        (row["region"], row["instance_type"]): float(row["usd_per_hour"])
        for row in tables["prices"]
        if row["usage"] == "ec2"
    }
    return [
        (row, float(row["usd_per_hour"]) / ec2[row["region"], row["instance_type"]])
        for row in tables["prices"]
        if row["usage"] != "ec2" and (row["region"], row["instance_type"]) in ec2
    ]


def test_prices_are_positive_unique_and_of_known_types_usages_and_regions(tables: Tables) -> None:
    names = {row["instance_type"] for row in tables["instances"]}
    seen = set()
    for row in tables["prices"]:
        key = (row["region"], row["instance_type"], row["usage"], row["source_id"])
        assert key not in seen
        seen.add(key)
        assert 0.01 < float(row["usd_per_hour"]) < 200, key
        assert row["instance_type"] in names
        assert row["region"] in regions()
        assert row["usage"] in {*Usage, "ec2", "studio"}


def test_every_published_price_keeps_to_the_ratio_of_its_group(tables: Tables) -> None:
    pairs = published_pairs(tables)
    groups = {row["instance_type"]: (row["family"], row["size"]) for row in tables["instances"]}

    assert len({(row["region"], row["instance_type"]) for row, _ in pairs}) > 180
    for row, quotient in pairs:
        group = ratio_row(tables, *groups[row["instance_type"]])
        assert group is not None, row
        assert quotient == pytest.approx(float(group["ratio"]), rel=RATIO_TOLERANCE), row


def test_every_ratio_states_its_evidence_exactly(tables: Tables) -> None:
    groups = {row["instance_type"]: (row["family"], row["size"]) for row in tables["instances"]}
    pairs = published_pairs(tables)

    for ratio in tables["price_ratios"]:
        evidence = [
            (row, quotient)
            for row, quotient in pairs
            if ratio_row(tables, *groups[row["instance_type"]]) is ratio
        ]
        assert len({(row["region"], row["instance_type"]) for row, _ in evidence}) == int(ratio["pairs"]) > 0
        assert ratio["regions"].split(";") == sorted({row["region"] for row, _ in evidence})
        assert ratio["source_ids"].split(";") == sorted({row["source_id"] for row, _ in evidence})
        quotients = [quotient for _, quotient in evidence]
        assert (f"{min(quotients):.4f}", f"{max(quotients):.4f}") == (ratio["ratio_min"], ratio["ratio_max"])


@pytest.mark.parametrize(
    "name",
    [
        "ml.inf1.xlarge",
        "ml.c6g.large",
        "ml.m8g.large",
        "ml.c5d.xlarge",
        "ml.r5d.large",
        "ml.m7i-flex.large",
        "ml.g7.2xlarge",
        "ml.p6-b200.48xlarge",
        "ml.trn1n.32xlarge",
        "ml.p3.8xlarge",
        "ml.m4.xlarge",
    ],
)
def test_a_family_without_verified_ratio_is_not_guessed(name: str) -> None:
    price = load_catalog("us-east-1").price(name, Usage.HOSTING)

    assert (price.usd_per_hour, price.basis) == (None, PriceBasis.UNKNOWN)


def test_a_published_price_is_that_of_its_row(tables: Tables) -> None:
    catalog = load_catalog("us-east-1")
    published: dict[str, set[float]] = {}
    for row in tables["prices"]:
        if (row["region"], row["usage"]) == ("us-east-1", "hosting"):
            published.setdefault(row["instance_type"], set()).add(float(row["usd_per_hour"]))

    assert len(published) > 10
    for name, prices in published.items():
        found = catalog.price(name, Usage.HOSTING)
        assert (found.basis, found.usd_per_hour in prices) == (PriceBasis.PUBLISHED, True), name


def test_an_estimate_in_another_region_uses_the_ec2_price_there() -> None:
    catalog = load_catalog("eu-central-1")

    price = catalog.price("ml.g5.2xlarge", Usage.HOSTING)

    assert price.basis is PriceBasis.ESTIMATED
    assert price.usd_per_hour == pytest.approx(1.5160 * 1.25, rel=0.01)


@pytest.mark.parametrize("usage", ["hosting", "processing", "transform"])
def test_what_is_priced_is_accepted_by_the_api_but_for_known_exceptions(tables: Tables, usage: str) -> None:
    accepted = {row["instance_type"] for row in tables["instances"] if usage in row["usages"].split(";")}
    priced = {row["instance_type"] for row in tables["availability"] if usage in row["usages"].split(";")}

    assert priced - accepted == PRICED_BUT_NOT_ACCEPTED[usage]


def test_availability_holds_known_types_and_usages_once(tables: Tables) -> None:
    names = {row["instance_type"] for row in tables["instances"]}
    keys = [(row["region"], row["instance_type"]) for row in tables["availability"]]

    assert len(keys) == len(set(keys))
    for row in tables["availability"]:
        assert row["instance_type"] in names
        assert set(row["usages"].split(";")) <= {"hosting", "processing", "transform", "cluster"}


@pytest.mark.parametrize(
    ("name", "usage", "offered", "why"),
    [
        ("ml.g5.xlarge", Usage.HOSTING, True, "AWS publishes a"),
        ("ml.p3.2xlarge", Usage.HOSTING, False, "AWS does not publish a"),
        ("ml.t3.medium", Usage.HOSTING, False, "the SageMaker API does not accept"),
        ("ml.m6i.large", Usage.HOSTING, False, "AWS does not publish a"),
        ("ml.g5.xlarge", Usage.TRAINING, True, "AWS publishes a"),
        ("ml.p3.2xlarge", Usage.TRAINING, False, "AWS prices no usage of it"),
        ("ml.r6i.large", Usage.TRAINING, False, "the API accepts it, but"),
    ],
)
def test_known_offers_of_us_east_1(name: str, usage: Usage, offered: bool, why: str) -> None:
    offer = load_catalog("us-east-1").offer(name, usage)

    assert offer.offered is offered
    assert offer.reason.startswith(why)


def test_spot_history_is_a_percentage_and_a_known_band(tables: Tables) -> None:
    names = {row["instance_type"] for row in tables["instances"]}
    keys = set()
    for row in tables["spot_advisor"]:
        keys.add((row["region"], row["instance_type"]))
        assert row["instance_type"] in names
        assert row["region"] in regions()
        assert int(row["savings_pct"]) < 100
        assert int(row["savings_pct"]) >= 0 or (row["region"], row["instance_type"]) in DEARER_ON_SPOT
        assert row["interruption_band"] in {"<5%", "5-10%", "10-15%", "15-20%", ">20%"}
    assert len(keys) == len(tables["spot_advisor"])


def test_corrections_name_families_and_usages_that_the_api_accepts(tables: Tables) -> None:
    accepted = {(row["family"], usage) for row in tables["instances"] for usage in row["usages"].split(";")}

    for row in tables["offer_corrections"]:
        assert (row["family"], row["usage"]) in accepted
        assert row["reason"]


@pytest.mark.parametrize("region", regions())
def test_every_region_loads_and_answers_for_every_type(region: str) -> None:
    catalog = load_catalog(region)

    for one in catalog.instance_types:
        for usage in Usage:
            price = catalog.price(one.name, usage)
            assert (price.usd_per_hour is None) == (price.basis is PriceBasis.UNKNOWN)
            assert catalog.offer(one.name, usage).reason
