from dataclasses import replace
from typing import Any

from tests.review.builders import assembly, resource, stack, template
from tests.review.cost.plans import (
    amounts,
    compared,
    head_of,
    line,
    only,
    planned,
    saved_plan,
    saved_training_job,
)

STATE_MACHINE = template(Workflow=resource("AWS::StepFunctions::StateMachine", {"DefinitionString": "{}"}))


def job_lines(region: str = "us-east-1", **given: Any) -> dict[str, Any]:
    job = saved_training_job(**given)
    written = replace(stack(STATE_MACHINE, job.stack_name), region=region)
    side = assembly(written, plan=saved_plan(job, region=region))
    return {one.name: one for one in head_of(compared(side, side)).components}


def test_expected_is_the_plans_and_the_most_is_every_run_on_demand() -> None:
    # 10 USD x 1 instance x 2 hours x 4 runs.
    found = job_lines()["ml.p4d.24xlarge training on Spot"]
    assert amounts(found) == (32.0, 32.0, 80.0)
    assert found.quantity == "4 runs x 1 instance x 2 hours"
    assert found.unit_price == "10.00 USD per hour"


def test_an_older_plan_tells_the_runs_by_its_sums() -> None:
    assert amounts(job_lines(runs_per_month=None)["ml.p4d.24xlarge training on Spot"]) == (32.0, 32.0, 80.0)


def test_without_a_rung_on_demand_there_is_nothing_more_expensive() -> None:
    rung = {
        "instance_type": "ml.p4d.24xlarge",
        "spot": True,
        "instance_count": 1,
        "volume_size_gib": 365,
    }
    assert amounts(job_lines(attempts=[rung])["ml.p4d.24xlarge training on Spot"]) == (32.0, 32.0, 32.0)


def test_a_rung_of_another_type_costs_what_the_catalog_says() -> None:
    # us-east-1, training: 1.408 USD x 3 instances x 2 hours x 4 runs.
    spot = {"instance_type": "ml.p4d.24xlarge", "spot": True, "instance_count": 1, "volume_size_gib": 365}
    other = {"instance_type": "ml.g5.xlarge", "spot": False, "instance_count": 3, "volume_size_gib": 365}
    found = job_lines(attempts=[spot, other])["ml.p4d.24xlarge training on Spot"]
    assert amounts(found) == (32.0, 32.0, 33.792)


def test_an_unknown_price_is_not_zero() -> None:
    unknown = {"usd_per_hour": None, "usd_per_month": None, "basis": "unknown"}
    found = job_lines(cost=unknown)["ml.p4d.24xlarge training on Spot"]
    assert (amounts(found), found.basis) == ((None, None, None), "unknown")


def test_runs_that_nobody_states_leave_the_most_unknown() -> None:
    found = job_lines(runs_per_month=None, estimate={"usd_per_run": None})
    assert amounts(found["ml.p4d.24xlarge training on Spot"]) == (None, None, None)


def test_instances_that_wait_for_the_next_run_are_paid() -> None:
    # 10 USD x 1 instance x half an hour x 4 runs.
    found = job_lines(keep_alive_minutes=30)["ml.p4d.24xlarge warm pool"]
    assert amounts(found) == (20.0, 20.0, 20.0)
    assert found.quantity == "4 runs x 1 instance x 0.5 hours"


def test_instances_of_a_training_plan_are_prepaid() -> None:
    rung = {"instance_type": "ml.p4d.24xlarge", "spot": False, "instance_count": 1, "volume_size_gib": 365}
    found = job_lines(
        attempts=[rung],
        training_plan_arn="arn:aws:sagemaker:us-east-1:111122223333:training-plan/june",
        cost={"usd_per_month": 0.0},
        estimate={"usd_per_run": 0.0},
        runs_per_month=None,
    )["ml.p4d.24xlarge training"]
    assert amounts(found) == (0.0, 0.0, 0.0)


def test_volumes_are_paid_while_a_job_runs() -> None:
    # eu-west-1: 365 GB x 2 hours x 4 runs / 730 hours = 4 GB-month at 0.154 USD.
    found = job_lines("eu-west-1")["training volumes"]
    assert found.quantity == "4 GB-month"
    assert amounts(found) == (0.616, 0.616, 0.616)


def test_volumes_are_unknown_in_a_region_without_a_source() -> None:
    found = job_lines("us-east-1")["training volumes"]
    assert found.quantity == "4 GB-month"
    assert (amounts(found), found.basis) == ((None, None, None), "unknown")


def test_the_state_machine_of_another_app_is_paid_by_use() -> None:
    assert line(STATE_MACHINE, "state transitions").basis == "usage"


def test_what_changes_a_job_is_told() -> None:
    base = planned(STATE_MACHINE, saved_plan(saved_training_job()))
    spotless = [{"instance_type": "ml.g5.xlarge", "spot": False, "instance_count": 2, "volume_size_gib": 365}]
    head = planned(
        STATE_MACHINE,
        saved_plan(saved_training_job(attempts=spotless, runs_per_month=8.0, cost={"usd_per_month": 100.0})),
    )
    change = only(compared(base, head))
    assert change.difference.expected == 68.0
    assert change.causes == (
        "instance type ml.p4d.24xlarge → ml.g5.xlarge",
        "instances 1 → 2",
        "capacity tried first Spot → on demand",
        "runs per month 4 → 8",
    )
