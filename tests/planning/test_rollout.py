"""A new fleet in production: halves, quarters or a canary, by what it runs on."""

from typing import Any

import pytest
from pydantic import ValidationError

from sizewell.config.rollout import Rollout
from sizewell.facts.deployment_guardrails import RolloutStrategy
from sizewell.instance_selection.catalog import load_catalog
from sizewell.planning.endpoint_plan_model import EndpointPlan, RolloutPlan
from sizewell.planning.rollout import plan_rollout, rollback_alarms, rollout_faults
from sizewell.planning.workload_plan import AlarmPlan

CATALOG = load_catalog("us-east-1")


BUSY, QUIET = 40.0, 0.001
ALARMS = {
    name: AlarmPlan(threshold=1, period_s=900, datapoints_to_alarm=2, evaluation_periods=3)
    for name in ("server_error_rate", "model_latency_p95", "memory_utilization")
}


def planned(
    instance_type: str, count: int, startup_timeout_s: int, stated: Rollout | None = None, load: float = BUSY
) -> RolloutPlan | None:
    return plan_rollout(CATALOG.get(instance_type), count, startup_timeout_s, ALARMS, load, stated)


def found(*args: Any, **kwargs: Any) -> RolloutPlan:
    plan = planned(*args, **kwargs)
    assert plan is not None
    return plan


@pytest.mark.parametrize(
    ("instance_type", "count", "expected"),
    [
        # Two batches of half, there and back, each with 300 s to start and 600 s to watch.
        ("ml.g5.xlarge", 2, ("rolling", 50, 2 * 2 * 900, 0)),
        ("ml.g5.xlarge", 5, ("rolling", 25, 2 * 4 * 900, 0)),
        ("ml.inf2.xlarge", 2, ("rolling", 50, 2 * 2 * 900, 0)),
        ("ml.c7i.xlarge", 2, ("canary", 50, 2 * 2 * 900, 600)),
        ("ml.c7i.xlarge", 12, ("canary", 10, 2 * 2 * 900, 600)),
    ],
)
def test_scarce_types_are_exchanged_in_batches_and_others_tried_by_a_canary(
    instance_type: str, count: int, expected: tuple[RolloutStrategy, int, int, int]
) -> None:
    assert planned(instance_type, count, 300) == RolloutPlan(
        strategy=expected[0],
        first_share_percent=expected[1],
        wait_interval_s=600,
        max_execution_timeout_s=expected[2],
        termination_wait_s=expected[3],
    )


def test_inferentia_1_has_no_guardrails() -> None:
    assert planned("ml.inf1.xlarge", 2, 300) is None


def test_the_time_of_a_large_model_ends_at_what_sagemaker_takes() -> None:
    assert found("ml.p5.48xlarge", 8, 3600).max_execution_timeout_s == 28_800


def test_what_is_stated_comes_before_what_fits() -> None:
    stated = Rollout(strategy="linear", share_percent=20, wait_interval_s=60, termination_wait_s=30)
    # Five steps there and back, each with 300 s to start, with 60 s between them and 30 s after the last.
    assert planned("ml.g5.xlarge", 8, 300, stated) == RolloutPlan(
        strategy="linear",
        first_share_percent=20,
        wait_interval_s=60,
        max_execution_timeout_s=2 * (5 * 300 + 4 * 60 + 30),
        termination_wait_s=30,
    )


@pytest.mark.parametrize(
    ("strategy", "watched_s"), [("all-at-once", 600), ("canary", 1200), ("linear", 1200), ("rolling", 1200)]
)
def test_every_strategy_watches_the_new_fleet_until_it_has_all_of_the_traffic(
    strategy: RolloutStrategy, watched_s: int
) -> None:
    assert found("ml.m5.large", 2, 300, Rollout(strategy=strategy)).watched_s == watched_s


@pytest.mark.parametrize("load", [BUSY, 5.0, 0.5, 0.05, QUIET])
@pytest.mark.parametrize("strategy", ["all-at-once", "canary", "linear", "rolling"])
def test_an_alarm_that_calls_back_goes_off_within_the_waits(strategy: RolloutStrategy, load: float) -> None:
    rollout = found("ml.m5.large", 2, 300, Rollout(strategy=strategy), load)
    watched = rollback_alarms(rollout, ALARMS, load)
    assert "server_error_rate" in watched
    assert "memory_utilization" not in watched
    for alarm in watched.values():
        assert (alarm.datapoints_to_alarm + 1) * alarm.period_s <= rollout.watched_s


def test_what_calls_back_is_the_same_in_every_environment_whatever_its_load() -> None:
    kept = {
        load: rollback_alarms(found("ml.m5.large", 2, 300, load=load), ALARMS, load) for load in (BUSY, QUIET)
    }
    assert kept[BUSY].keys() == kept[QUIET].keys() == {"server_error_rate", "model_latency_p95"}
    looks = {
        load: {
            name: (one.period_s, one.datapoints_to_alarm, one.evaluation_periods)
            for name, one in alarms.items()
        }
        for load, alarms in kept.items()
    }
    assert looks == {
        BUSY: {"server_error_rate": (60, 3, 5), "model_latency_p95": (120, 3, 3)},
        QUIET: {"server_error_rate": (300, 1, 1), "model_latency_p95": (300, 3, 3)},
    }


def test_the_only_wait_is_as_long_as_the_slowest_alarm() -> None:
    stated = Rollout(strategy="all-at-once")
    assert found("ml.m5.large", 2, 300, stated, QUIET).termination_wait_s == 1200


def test_an_alarm_that_would_go_off_after_stated_waits_is_not_made() -> None:
    stated = Rollout(strategy="all-at-once", termination_wait_s=600)
    rollout = found("ml.m5.large", 2, 300, stated, QUIET)
    assert rollback_alarms(rollout, ALARMS, QUIET).keys() == {"server_error_rate"}


def endpoint_plan(rollout: RolloutPlan | None, load: float = BUSY, fewest: int = 2) -> EndpointPlan:
    fields: dict[str, Any] = {
        "rollout": rollout,
        "scaling": None,
        "initial_instance_count": fewest,
        "alarms": ALARMS,
        "rollback_alarms": rollback_alarms(rollout, ALARMS, load),
    }
    return EndpointPlan.model_construct(**fields)


def test_all_at_once_goes_with_one_instance_and_the_others_do_not() -> None:
    at_once = Rollout(strategy="all-at-once")
    plan = endpoint_plan(found("ml.m5.large", 1, 300, at_once), fewest=1)
    assert plan.rollout is not None
    assert plan.rollout.first_share_percent is None
    assert list(rollout_faults("it", at_once, plan)) == []
    (fault,) = rollout_faults("it", Rollout(strategy="canary"), plan)
    assert fault.key_path == ("workloads", "it", "rollout", "strategy")


def test_waits_beyond_what_a_deployment_may_take_are_refused() -> None:
    stated = Rollout(strategy="rolling", share_percent=5, wait_interval_s=3600)
    (fault,) = rollout_faults("it", stated, endpoint_plan(found("ml.m5.large", 20, 300, stated)))
    assert fault.key_path == ("workloads", "it", "rollout", "wait_interval_s")
    assert fault.reason == "makes a deployment wait 72,000 s in all, but SageMaker ends it after 28,800 s"


@pytest.mark.parametrize(
    "waits",
    [
        {"strategy": "all-at-once", "termination_wait_s": 0},
        {"strategy": "rolling", "wait_interval_s": 0},
        {"strategy": "canary", "wait_interval_s": 60, "termination_wait_s": 60},
    ],
)
def test_waits_in_which_no_alarm_goes_off_are_refused(waits: dict[str, Any]) -> None:
    stated = Rollout.model_validate(waits)
    (fault,) = rollout_faults("it", stated, endpoint_plan(found("ml.m5.large", 2, 300, stated)))
    assert fault.key_path == ("workloads", "it", "rollout")
    assert "nothing would call a bad model back" in fault.reason


@pytest.mark.parametrize(
    ("stated", "key"),
    [
        ({"strategy": "all-at-once", "share_percent": 50}, "share_percent"),
        ({"strategy": "linear", "share_percent": 5}, "share_percent"),
        ({"strategy": "rolling", "termination_wait_s": 5}, "termination_wait_s"),
    ],
)
def test_keys_without_an_effect_are_refused(stated: dict[str, object], key: str) -> None:
    with pytest.raises(ValidationError) as raised:
        Rollout.model_validate(stated)
    assert raised.value.errors()[0]["ctx"]["key"] == key
