"""The tables of a project: sorted, in the format of the package, and of the refreshed regions alone."""

import csv
from decimal import Decimal
from random import Random

from sizewell.instance_selection.catalog import (
    PACKAGED,
    PriceBasis,
    RefreshedTables,
    Usage,
    catalog_version,
    load_catalog,
    load_ec2_catalog,
    regions,
)
from sizewell.instance_selection.catalog.tables import columns_of, read_region
from sizewell.price_list.differences import coverage, differences, listed_usages
from sizewell.price_list.products import Key, ServicePrices
from sizewell.price_list.tables import FILE_SOURCE, RegionPrices, lost_usages, refreshed_tables

G5: dict[Key, Decimal] = {
    ("ml.g5.xlarge", "hosting"): Decimal("1.5000000000"),
    ("ml.g5.xlarge", "training"): Decimal("1.4080000000"),
    ("ml.g5.xlarge", "cluster"): Decimal("1.3"),
    ("ml.m5.xlarge", "hosting"): Decimal("0.23"),
}
EC2: dict[Key, Decimal] = {
    ("ml.g5.xlarge", "ec2"): Decimal("1.006"),
    ("ml.x99.huge", "ec2"): Decimal(8),
    ("ml.c5.xlarge", "ec2"): Decimal(100),
}


def prices(region: str = "us-east-1", sagemaker: dict[Key, Decimal] = G5) -> RegionPrices:
    return RegionPrices(
        region,
        FILE_SOURCE,
        ServicePrices("2026-11-20", sagemaker),
        ServicePrices("2026-11-19", EC2),
    )


def test_the_rows_of_a_region_take_the_place_of_the_package() -> None:
    tables = refreshed_tables(PACKAGED, [prices()], [])
    catalog = load_catalog("us-east-1", tables)
    price = catalog.price("ml.g5.xlarge", Usage.HOSTING)
    assert (price.usd_per_hour, price.basis, price.as_of) == (1.5, PriceBasis.PUBLISHED, "2026-11-20")
    assert price.source_ids == (FILE_SOURCE,)
    # The package has a price of it; AWS does not publish one any more.
    assert load_catalog("us-east-1").price("ml.g6.xlarge", Usage.HOSTING).usd_per_hour is not None
    gone = catalog.price("ml.g6.xlarge", Usage.HOSTING)
    assert (gone.basis, gone.usd_per_hour) == (PriceBasis.UNKNOWN, None)
    assert not catalog.is_offered("ml.g6.xlarge", Usage.HOSTING)
    assert load_ec2_catalog("us-east-1", refreshed=tables).price("g5.xlarge", Usage.EC2).usd_per_hour == 1.006


def test_other_regions_and_spot_stay_those_of_the_package() -> None:
    tables = refreshed_tables(PACKAGED, [prices()], [])
    assert list(read_region("prices", "eu-west-1", tables)) == list(read_region("prices", "eu-west-1"))
    assert load_catalog("us-east-1", tables).spot("ml.g5.xlarge") == load_catalog("us-east-1").spot(
        "ml.g5.xlarge"
    )


def test_a_list_of_trainings_leaves_nothing_to_assume() -> None:
    assert "no list says so" in load_catalog("us-east-1").offer("ml.m5.xlarge", Usage.NOTEBOOK).reason
    catalog = load_catalog("us-east-1", refreshed_tables(PACKAGED, [prices()], []))
    offer = catalog.offer("ml.m5.xlarge", Usage.TRAINING)
    assert offer == (False, "AWS does not publish a training price for it in us-east-1")
    assert catalog.is_offered("ml.g5.xlarge", Usage.TRAINING)
    # This list has no notebook at all.
    assert "no list says so" in catalog.offer("ml.m5.xlarge", Usage.NOTEBOOK).reason


def test_the_version_tells_the_catalogs_apart() -> None:
    tables = refreshed_tables(PACKAGED, [prices()], [])
    dearer = refreshed_tables(
        PACKAGED, [prices(sagemaker=G5 | {("ml.m5.xlarge", "hosting"): Decimal(1)})], []
    )
    versions = {catalog_version(), catalog_version(tables), catalog_version(dearer)}
    assert len(versions) == 3
    assert load_catalog("us-east-1", tables).version == catalog_version(tables)
    assert load_ec2_catalog("us-east-1", refreshed=tables).version == catalog_version(tables)
    assert catalog_version(RefreshedTables()) == catalog_version()


def test_the_same_answers_make_the_same_bytes_whatever_their_order() -> None:
    keys = list(G5)
    Random(3).shuffle(keys)
    one = refreshed_tables(PACKAGED, [prices(), prices("eu-west-1")], [])
    other = refreshed_tables(
        PACKAGED, [prices("eu-west-1"), prices(sagemaker={key: G5[key] for key in keys})], []
    )
    assert one == other
    assert refreshed_tables(one, [prices()], []) == one
    rows = list(csv.reader(one.lines("prices")))
    assert rows[1:] == sorted(rows[1:])
    assert ["us-east-1", "ml.g5.xlarge", "training", "1.408", FILE_SOURCE, "2026-11-20"] in rows
    assert {row[2] for row in rows[1:]} == {"ec2", "hosting", "training"}


def test_of_ec2_only_types_of_sagemaker_are_kept() -> None:
    rows = csv.DictReader(refreshed_tables(PACKAGED, [prices()], []).lines("prices"))
    assert [row["instance_type"] for row in rows if row["usage"] == "ec2"] == ["ml.c5.xlarge", "ml.g5.xlarge"]


def test_a_new_region_is_one_that_can_be_planned_for() -> None:
    tables = refreshed_tables(PACKAGED, [prices("xx-new-1")], [])
    assert set(regions(tables)) - set(regions()) == {"xx-new-1"}
    assert load_catalog("xx-new-1", tables).is_offered("ml.g5.xlarge", Usage.HOSTING)


def test_types_are_added_and_those_of_the_package_win() -> None:
    (packaged,) = (t for t in load_catalog("us-east-1").instance_types if t.name == "ml.g5.xlarge")
    cells = ("family", "size", "usages", "vcpus", "memory_gib", "cpu_architecture")
    row = dict.fromkeys(columns_of("instances"), "")
    row |= dict(zip(cells, ("zz9", "huge", "hosting", "8", "64", "x86_64"), strict=True))
    row |= {
        "accelerator_count": "0",
        "local_storage_gb": "0",
        "instance_type": "ml.zz9.huge",
        "source_ids": "x",
    }
    tables = refreshed_tables(PACKAGED, [prices()], [row, {**row, "instance_type": "ml.g5.xlarge"}])
    catalog = load_catalog("us-east-1", tables)
    assert catalog.get("ml.zz9.huge").vcpus == 8
    assert catalog.get("ml.g5.xlarge") == packaged
    assert load_ec2_catalog("us-east-1", refreshed=tables).get("zz9.huge").memory_gib == 64


def test_what_changes_is_told_by_type_and_usage() -> None:
    before = refreshed_tables(PACKAGED, [prices()], [])
    now = {key: usd for key, usd in G5.items() if key[0] != "ml.m5.xlarge"}
    now |= {("ml.g5.xlarge", "hosting"): Decimal(3), ("ml.c5.xlarge", "hosting"): Decimal(1)}
    after = refreshed_tables(before, [prices(sagemaker=now)], [])
    (found,) = differences(before, after, ["us-east-1"])
    assert [(one.instance_type, one.usage, one.before, one.after) for one in found.prices] == [
        ("ml.c5.xlarge", "hosting", None, 1),
        ("ml.g5.xlarge", "hosting", 1.5, 3),
        ("ml.m5.xlarge", "hosting", 0.23, None),
    ]
    assert [one.percent for one in found.changed] == [100]
    assert (found.new_types, found.gone_types, found.is_empty) == (
        ("ml.c5.xlarge",),
        ("ml.m5.xlarge",),
        False,
    )
    (same,) = differences(after, after, ["us-east-1"])
    assert same.is_empty


def test_an_unknown_price_is_counted_as_unknown() -> None:
    known = coverage(load_catalog("us-east-1"))["hosting"]
    assert known.offered == known.published + known.estimated + known.unknown
    assert known.unknown > 0
    assert coverage(load_catalog("cn-north-1"))["hosting"].published == 0


def test_a_usage_that_is_gone_altogether_is_no_news_but_a_fault() -> None:
    known = listed_usages(PACKAGED, "us-east-1")
    assert {"hosting", "processing", "transform", "ec2"} <= known.keys()
    assert lost_usages(known, prices()) == ["notebook", "processing", "transform"]
    assert listed_usages(PACKAGED, "xx-new-1") == {}
