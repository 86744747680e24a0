"""What follows from the name of a region."""

import pytest

from sizewell.facts.regions import zone_id_prefix
from sizewell.instance_selection.catalog import regions


@pytest.mark.parametrize(
    ("region", "prefix"),
    [
        ("us-east-1", "use1-az"),
        ("us-west-2", "usw2-az"),
        ("ca-central-1", "cac1-az"),
        ("ap-northeast-3", "apne3-az"),
        ("ap-south-1", "aps1-az"),
        ("ap-southeast-7", "apse7-az"),
        ("eu-central-2", "euc2-az"),
        ("il-central-1", "ilc1-az"),
        ("us-gov-west-1", "usgw1-az"),
        ("cn-northwest-1", "cnnw1-az"),
    ],
)
def test_zone_ids_abbreviate_their_region(region: str, prefix: str) -> None:
    assert zone_id_prefix(region) == prefix


def test_zone_ids_of_all_regions_of_the_catalog_are_known_and_differ() -> None:
    prefixes = [zone_id_prefix(region) for region in regions()]
    assert None not in prefixes
    assert len(set(prefixes)) == len(regions())


def test_a_region_with_a_word_that_is_new_is_not_judged() -> None:
    assert zone_id_prefix("us-iso-east-1") is None
