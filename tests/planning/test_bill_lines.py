"""What a plan pays beside its instances."""

from typing import Any

import pytest

from sizewell.kinds.training_job.plan_model import TrainingJobPlan
from sizewell.planning.bill_plan import BillLine
from sizewell.planning.build import build_plan
from tests.instance_selection.builders import catalog, gpu_instance
from tests.planning.builders import endpoint, environment, policy, training_job

PRICED = catalog(gpu_instance(), usd_per_hour={"ml.g9.xlarge": 1.0})


def lines(*, region: str = "us-east-1", **given: Any) -> dict[str, BillLine]:
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
        "dashboard": 3,
        "alarm": 0.1,
    }
    assert found.usd_per_month == pytest.approx(48.9)
    assert "VPC data through VPC interface endpoints" in found.paid_by_use


def test_a_network_without_interface_endpoints_pays_for_none() -> None:
    found = lines(network={"mode": "new", "interface_endpoints": []})["foundation"]
    assert amounts(found) == {"customer-managed key": 2, "dashboard": 3, "alarm": 0.1}
    assert "VPC data through VPC interface endpoints" not in found.paid_by_use


def test_without_a_price_of_what_is_most_of_it_a_line_is_unknown() -> None:
    # Nobody has found a price of these for sa-east-1.
    found = lines(region="sa-east-1")["foundation"]
    assert found.usd_per_month is None
    assert {name for name, usd in amounts(found).items() if usd is not None} == {"dashboard"}


def test_requests_through_an_api_are_paid_each() -> None:
    access = {"api_gateway": {"callers": ["arn:aws:iam::111122223333:role/till"]}}
    found = amounts(lines(workloads={"ant": endpoint(access=access)})["ant"])
    assert found["requests"] == pytest.approx(5 * 730 * 3600 * 3.5e-6)
    assert "requests" not in amounts(lines()["plants"])


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


@pytest.mark.parametrize(("region", "usd"), [("us-east-1", 0.5), ("eu-west-1", None)])
def test_a_composite_alarm_is_paid_where_one_tells_people_for_all(region: str, usd: float | None) -> None:
    of_policy = policy(region=region, composite_alarms=True)
    plan = build_plan(environment(policy=of_policy), PRICED)
    assert plan.endpoints[0].composite_alarm_name == "demo-dev-plants-Incident"
    assert amounts(plan.bill.lines[0])["composite alarm"] == usd
    apart = build_plan(environment(policy=policy(region=region)), PRICED)
    assert apart.endpoints[0].composite_alarm_name is None
    assert "composite alarm" not in amounts(apart.bill.lines[0])


KEY = "arn:aws:kms:us-east-1:111122223333:key/0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f"
OFFLINE = {
    "mode": "existing",
    "vpc_id": "vpc-0123456789abcdef0",
    "subnet_ids": ["subnet-01234567", "subnet-12345678"],
}


@pytest.mark.parametrize(
    ("existing", "fixed", "by_use"),
    [
        ({"data_key_arn": KEY}, {"customer-managed key": 1}, ("KMS", "S3", "SNS", "SQS")),
        ({"data_key_arn": KEY, "operations_key_arn": KEY}, {}, ("S3", "SNS", "SQS")),
        ({"artifact_bucket": "models"}, {"customer-managed key": 2}, ("KMS", "S3", "SNS", "SQS")),
        (
            {"artifact_bucket": "models", "checkpoint_bucket": "states"},
            {"customer-managed key": 2},
            ("KMS", "SNS", "SQS"),
        ),
        (
            {"alarm_topic_arn": "arn:aws:sns:us-east-1:111122223333:alarms"},
            {"customer-managed key": 2},
            ("KMS", "S3", "SQS"),
        ),
    ],
)
def test_what_exists_is_on_the_bill_of_its_owner(
    existing: dict[str, str], fixed: dict[str, float], by_use: tuple[str, ...]
) -> None:
    found = lines(network=OFFLINE, existing=existing, dashboard=False)["foundation"]
    assert amounts(found) == {**fixed, "alarm": 0.1}
    assert found.usd_per_month == pytest.approx(sum(fixed.values()) + 0.1)
    assert sorted({name.split()[0] for name in found.paid_by_use}) == sorted(by_use)


def test_instances_that_wait_for_the_next_run_are_paid_and_told() -> None:
    job = training_job(keep_alive_minutes=30, runs_per_month=4)
    plan = build_plan(environment({"job": job}), PRICED)
    assert amounts(plan.bill.lines[0])["ml.g9.xlarge warm pool"] == pytest.approx(1.0 * 0.5 * 4)
    told = [
        line
        for line in plan.of(TrainingJobPlan)[0].selection.assumptions
        if line.startswith("instances wait 30 minutes")
    ]
    assert told == [
        "instances wait 30 minutes for the next run and are paid for, 1.00 USD per hour: not in the cost of a run"
    ]


def test_instances_of_a_training_plan_are_prepaid() -> None:
    arn = "arn:aws:sagemaker:us-east-1:111122223333:training-plan/june"
    job = training_job(
        training_plan_arn=arn, instances={"instance_type": "ml.g9.xlarge"}, max_usd_per_run=0.01
    )
    plan = build_plan(environment({"job": job}), PRICED)
    assert amounts(plan.bill.lines[0])["ml.g9.xlarge training"] == 0
    (planned,) = plan.of(TrainingJobPlan)
    assert planned.selection.chosen.estimate.usd_per_run == 0
    assert (
        planned.selection.assumptions[0] == "one run per month; the training plan has paid for the instances"
    )
    # What a run reports would be more than it cost.
    assert [attempt.usd_per_hour for attempt in planned.attempts] == [None]
