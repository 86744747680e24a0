"""Which products of the price list are an hour of an instance, and what it costs."""

from decimal import Decimal
from typing import Any

import pytest

from sizewell.price_list.products import ec2_key, hourly_prices, sagemaker_key, service_prices
from tests.price_list.price_lists import EC2_TRAPS, TRAPS, of_ec2, of_sagemaker


@pytest.mark.parametrize("usage", ["hosting", "training", "processing", "transform", "notebook", "cluster"])
def test_the_usage_type_names_type_and_usage(usage: str) -> None:
    attributes = of_sagemaker("ml.p6-b200.48xlarge", usage, "1")["product"]["attributes"]
    assert sagemaker_key(attributes) == ("ml.p6-b200.48xlarge", usage)
    without_prefix = {"usagetype": attributes["usagetype"].removeprefix("USE1-")}
    assert sagemaker_key(without_prefix) == ("ml.p6-b200.48xlarge", usage)


@pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: trap["product"]["attributes"]["usagetype"])
def test_nothing_else_is_a_price_of_an_instance(trap: dict[str, Any]) -> None:
    is_instance = sagemaker_key(trap["product"]["attributes"]) is not None
    assert not (is_instance and list(hourly_prices(trap["terms"]["OnDemand"])))


def test_of_ec2_only_linux_on_demand_on_shared_hardware_counts() -> None:
    assert ec2_key(of_ec2("g5.xlarge", "1")["product"]["attributes"]) == ("ml.g5.xlarge", "ec2")
    assert [ec2_key(trap["product"]["attributes"]) for trap in EC2_TRAPS] == [None] * len(EC2_TRAPS)


def test_of_several_prices_the_highest_counts_and_is_named_whatever_their_order() -> None:
    key, other = ("ml.g5.xlarge", "hosting"), ("ml.a.b", "hosting")
    priced = [(key, Decimal(1)), (other, Decimal(3)), (key, Decimal(2)), (other, Decimal(3))]
    found = service_prices("2026-11-20T10:00:00Z", priced)
    assert found == service_prices("2026-11-20", reversed(priced))
    assert found.published == "2026-11-20"
    assert found.usd_per_hour == {other: Decimal(3), key: Decimal(2)}
    assert found.differing == (key,)
