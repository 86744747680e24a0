"""Which quotas an account must have: what runs at the same time at most, updates included, by AWS's names."""

from typing import Any

import pytest

from sizewell.kinds.training_job.plan_model import TrainingJobPlan
from sizewell.planning.build import build_plan
from sizewell.planning.endpoint_plan_model import RolloutPlan, instances_during_update
from sizewell.planning.plan import DeploymentPlan
from tests.instance_selection.builders import catalog, gpu_instance
from tests.planning.builders import endpoint, environment, training_job

PRICED = catalog(
    gpu_instance(),
    gpu_instance(name="ml.g9.2xlarge"),
    usd_per_hour={"ml.g9.xlarge": 1.0, "ml.g9.2xlarge": 2.0},
)
ENDPOINT_OF_TYPE = "ml.g9.xlarge for endpoint usage"


def plan(workloads: dict[str, Any], **given: Any) -> DeploymentPlan:
    return build_plan(environment(workloads, **given), PRICED)


def counts(planned: DeploymentPlan) -> dict[str, int]:
    return {one.name: one.needed for one in planned.quotas}


def rollout(strategy: Any, percent: int | None) -> RolloutPlan:
    return RolloutPlan(
        strategy=strategy, first_share_percent=percent, wait_interval_s=60, max_execution_timeout_s=600
    )


@pytest.mark.parametrize(
    ("stated", "instances"),
    [
        (None, 10),
        (rollout("all-at-once", None), 10),
        (rollout("canary", 10), 10),
        (rollout("linear", 25), 10),
        (rollout("rolling", 50), 8),
        (rollout("rolling", 5), 6),
    ],
)
def test_an_update_makes_a_second_fleet_or_a_batch(stated: RolloutPlan | None, instances: int) -> None:
    assert instances_during_update(5, stated) == instances


def test_endpoints_of_one_type_share_a_quota_and_their_largest_fleets_count() -> None:
    stated = {"scaling": {"min_instances": 1, "max_instances": 3}, "rollout": {"strategy": "all-at-once"}}
    planned = plan({"plants": endpoint(**stated), "animals": endpoint(**stated)})

    assert counts(planned) == {ENDPOINT_OF_TYPE: 12, "Number of instances across active endpoints": 12}
    assert {(one.account, one.region, one.service) for one in planned.quotas} == {
        ("111122223333", "us-east-1", "sagemaker")
    }
    assert [one.name for one in planned.quotas] == sorted(counts(planned))


def test_a_schedule_may_need_more_than_the_bounds() -> None:
    schedule = {
        "weekdays": ["MON"],
        "at": "06:00",
        "time_zone": "UTC",
        "min_instances": 1,
        "max_instances": 9,
    }
    scaling = {"min_instances": 1, "max_instances": 3, "schedules": {"mornings": schedule}}
    planned = plan({"plants": endpoint(scaling=scaling, rollout={"strategy": "none"})})

    assert counts(planned)[ENDPOINT_OF_TYPE] == 18


def test_each_rung_of_training_counts_once_by_how_it_is_bought() -> None:
    planned = plan({"learn": training_job(spot={"enabled": True}, checkpoint={"interval_minutes": 15})})

    (job,) = planned.of(TrainingJobPlan)
    assert {one.spot for one in job.attempts} == {True, False}
    types = {one.instance_type for one in job.attempts}
    assert counts(planned) == {
        **{f"{name} for spot training job usage": 1 for name in types},
        **{f"{name} for training job usage": 1 for name in types},
        "Number of instances across all spot training jobs": 1,
        "Number of instances across all training jobs": 1,
    }


def test_instances_that_wait_for_the_next_run_have_a_quota_of_their_own() -> None:
    planned = plan({"learn": training_job(keep_alive_minutes=30)})

    assert counts(planned)["ml.g9.xlarge for training warm pool usage"] == 1
    assert counts(planned)["ml.g9.xlarge for training job usage"] == 1
