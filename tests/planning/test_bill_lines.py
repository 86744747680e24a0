"""What a plan pays beside its instances."""

import pytest

from sizewell.planning.build import build_plan
from sizewell.planning.plan import BillLine
from tests.instance_selection.builders import catalog, gpu_instance
from tests.planning.builders import endpoint, environment, policy, training_job

PRICED = catalog(gpu_instance(), usd_per_hour={"ml.g9.xlarge": 1.0})


def lines(*, region: str = "us-east-1", **given: object) -> dict[str, BillLine]:
    plan = build_plan(environment(policy=policy(region=region), **given), PRICED)
    return {line.workload: line for line in plan.bill.lines}


def amounts(line: BillLine) -> dict[str, float | None]:
    return {item.name: item.usd_per_month for item in line.items}


def test_interface_endpoints_are_paid_by_the_hour_in_each_zone() -> None:
    network = {"mode": "new", "availability_zones": 3, "interface_endpoints": ["kms", "sts"]}
    found = lines(network=network)["foundation"]
    assert amounts(found) == {
        "VPC interface endpoint x 3 zones": pytest.approx(2 * 3 * 730 * 0.01),
        "customer-managed key": 2,
    }
    assert found.usd_per_month == pytest.approx(45.8)
    assert "VPC data through VPC interface endpoints" in found.paid_by_use


def test_a_network_without_interface_endpoints_pays_for_none() -> None:
    found = lines(network={"mode": "new", "interface_endpoints": []})["foundation"]
    assert amounts(found) == {"customer-managed key": 2}
    assert "VPC data through VPC interface endpoints" not in found.paid_by_use


def test_without_a_price_of_what_is_most_of_it_a_line_is_unknown() -> None:
    # Nobody has found a price of these for sa-east-1.
    found = lines(region="sa-east-1")
    assert found["foundation"].usd_per_month is None
    assert set(amounts(found["foundation"]).values()) == {None}


def test_a_fixed_fleet_has_no_alarms_of_target_tracking() -> None:
    fixed = endpoint(scaling={"min_instances": 2, "max_instances": 2})
    found = lines(workloads={"fixed": fixed, "scaled": endpoint()})
    assert "alarm of target tracking" not in amounts(found["fixed"])
    assert amounts(found["scaled"])["alarm of target tracking"] == pytest.approx(0.2)


def test_volumes_are_paid_for_each_instance() -> None:
    found = amounts(lines(workloads={"two": endpoint(scaling={"min_instances": 2})})["two"])
    one = amounts(lines()["plants"])["endpoint volumes"]
    assert one
    assert found["endpoint volumes"] == pytest.approx(2 * one)


def test_runs_that_nobody_states_count_as_one() -> None:
    stated, counted = (
        amounts(lines(region="eu-west-1", workloads={"job": training_job(runs_per_month=runs)})["job"])
        for runs in (3, None)
    )
    assert counted["training volumes"]
    assert stated["training volumes"] == pytest.approx(3 * counted["training volumes"])
