import pytest

from sizewell.instance_selection.catalog import (
    Catalog,
    SpotHistory,
    UnknownInstanceTypeError,
    UnknownRegionError,
    catalog_version,
    load_catalog,
    regions,
)
from tests.instance_selection.builders import cpu_instance


def test_types_are_sorted_by_name_whatever_the_order_of_the_rows() -> None:
    names = ["ml.m5.xlarge", "ml.c5.xlarge", "ml.g5.xlarge"]

    catalog = Catalog("eu-west-1", [cpu_instance(name) for name in names])

    assert [one.name for one in catalog.instance_types] == sorted(names)


def test_find_answers_none_and_get_raises_for_an_unknown_name() -> None:
    catalog = Catalog("eu-west-1", [cpu_instance("ml.g5.xlarge"), cpu_instance("ml.m5.xlarge")])

    assert catalog.find("ml.g5.xlarge") is catalog.get("ml.g5.xlarge")
    assert catalog.find("g5.xlarge") is None
    with pytest.raises(
        UnknownInstanceTypeError, match=r"'g5\.xlarge'; did you mean ml\.g5\.xlarge"
    ) as raised:
        catalog.get("g5.xlarge")
    assert raised.value.near_matches[0] == "ml.g5.xlarge"


def test_an_unknown_name_without_near_match_has_no_hint() -> None:
    with pytest.raises(UnknownInstanceTypeError, match=r"^unknown instance type 'zzz'$"):
        Catalog("eu-west-1", [cpu_instance("ml.g5.xlarge")]).get("zzz")


def test_spot_history_is_none_where_there_is_none() -> None:
    history = SpotHistory(savings_percent=58, interruption_band="<5%", as_of="2025-06-28")
    catalog = Catalog("eu-west-1", [cpu_instance("ml.g5.xlarge")], spot={"ml.g5.xlarge": history})

    assert catalog.spot("ml.g5.xlarge") == history
    assert catalog.spot("ml.m5.xlarge") is None


def test_an_unknown_region_names_near_matches() -> None:
    with pytest.raises(UnknownRegionError, match="unknown region 'eu-wst-1'; did you mean eu-west-1"):
        load_catalog("eu-wst-1")


@pytest.mark.parametrize("name", ["us-east", "region", ""])
def test_a_prefix_or_a_column_name_is_not_a_region(name: str) -> None:
    with pytest.raises(UnknownRegionError):
        load_catalog(name)


def test_regions_are_sorted_and_each_is_an_aws_region() -> None:
    assert list(regions()) == sorted(regions())
    assert {"us-east-1", "eu-central-1", "ap-southeast-2"} <= set(regions())
    assert "region" not in regions()


def test_the_version_is_a_short_digest_that_all_regions_share() -> None:
    version = load_catalog("us-east-1").version

    assert len(version) == 12
    assert int(version, 16) >= 0
    assert version == load_catalog("eu-west-1").version == catalog_version()
