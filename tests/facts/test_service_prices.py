"""What AWS charges, as a table."""

import csv
import re

import pytest

from sizewell.facts.service_prices import TABLE, service_price

#: ISO, a month or a year where a source says no more; empty where it says nothing.
DATE = re.compile(r"|20\d\d(-\d\d(-\d\d)?)?")
with TABLE.open(encoding="utf-8", newline="") as file:
    ROWS = list(csv.DictReader(file))


def test_prices_are_unique_sorted_and_sourced() -> None:
    keys = [(row["region"], row["service"], row["price"]) for row in ROWS]
    assert keys == sorted(set(keys))
    for row in ROWS:
        assert row["source"].strip(), row
        assert row["unit"].strip(), row
        assert DATE.fullmatch(row["as_of"]), row


def test_prices_are_positive_and_free_things_are_free_everywhere() -> None:
    for row in ROWS:
        assert 0 <= float(row["usd"]) <= 3, row
        assert float(row["usd"]) > 0 or row["region"] == "*", row


def test_a_source_without_a_date_says_so() -> None:
    for row in ROWS:
        if not row["as_of"]:
            assert "undated" in row["source"] or row["region"] == "*" or "public" in row["source"], row


def test_regions_agree_on_the_unit_of_a_price() -> None:
    units: dict[tuple[str, str], str] = {}
    for row in ROWS:
        assert units.setdefault((row["service"], row["price"]), row["unit"]) == row["unit"], row


def test_a_price_that_nobody_found_is_none_and_not_zero() -> None:
    assert service_price("us-east-1", "SageMaker", "training_volume_gb_month") is None
    assert service_price("sa-east-1", "KMS", "key") is None
    assert service_price(None, "KMS", "key") is None


@pytest.mark.parametrize(
    ("service", "price"),
    [
        ("KMS", "key"),
        ("VPC", "interface_endpoint_hour"),
        ("VPC", "nat_gateway_hour"),
        ("VPC", "public_ipv4_hour"),
        ("CloudWatch", "alarm"),
        ("SageMaker", "endpoint_volume_gb_month"),
        ("Step Functions", "state_transition"),
    ],
)
def test_us_east_1_has_what_our_stacks_pay(service: str, price: str) -> None:
    found = service_price("us-east-1", service, price)
    assert found is not None
    assert found.usd > 0
