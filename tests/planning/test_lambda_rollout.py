"""How a new version of a function takes over: watched for as long as its alarms need to see it."""

from typing import Any

import pytest

from sizewell.facts.codedeploy import predefined_config, waits
from sizewell.kinds.lambda_function.plan_model import LambdaRolloutPlan
from sizewell.planning.workload_plan import AlarmPlan
from tests.planning.test_lambda_plan import HASTY, faults_of, function, planned, whole


def asked(average_requests_per_second: float, **rollout: Any) -> dict[str, Any]:
    average = {"average_requests_per_second": average_requests_per_second}
    return {"rollout": rollout, "traffic": {"peak_requests_per_second": 10, **average}}


def rollout_of(average_requests_per_second: float, **rollout: Any) -> LambdaRolloutPlan:
    found = planned(function(**asked(average_requests_per_second, **rollout))).rollout
    assert found is not None
    return found


def test_alarms_look_at_as_long_as_the_share_of_a_new_version_takes() -> None:
    # Three periods of 300 s in a row are over after a fourth at the latest.
    assert rollout_of(8, strategy="canary") == LambdaRolloutPlan(
        strategy="canary",
        share_percent=10,
        wait_interval_s=1200,
        shift_s=1200,
        alarms={
            "error_rate": AlarmPlan(threshold=0.25, period_s=60, datapoints_to_alarm=3, evaluation_periods=5),
            "duration_p95": AlarmPlan(
                threshold=60_000, period_s=300, datapoints_to_alarm=3, evaluation_periods=3
            ),
        },
        too_slow_s={},
    )
    assert rollout_of(10, strategy="canary", share_percent=50).wait_interval_s == 1200


def test_an_alarm_that_would_go_off_too_late_is_not_made_and_told() -> None:
    plan = planned(function(latency=HASTY, **asked(0.1, strategy="canary")))
    assert plan.rollout is not None
    assert plan.rollout.alarms.keys() == {"error_rate"}
    assert plan.rollout.wait_interval_s == 900
    # Ten requests at one in a hundred seconds: three periods of an hour, and the one before.
    assert plan.rollout.too_slow_s == {"duration_p95": 14_400}
    assert plan.decisions[-3:] == (
        "a new version takes 10 percent of the requests first, the rest after 15 min; its alarms call it back: error_rate",
        "duration_p95 of a new version calls nothing back: at the average load it would take 240 min to go off",
        "warm workers are shared by both versions until all of the traffic has moved, and do not scale meanwhile",
    )
    # In nine waits there is the time for it.
    assert rollout_of(0.1, strategy="linear").wait_interval_s == 1620
    assert rollout_of(0.1, strategy="linear").alarms.keys() == {"error_rate", "duration_p95"}


@pytest.mark.parametrize("rollout", [None, {"strategy": "none"}])
def test_without_a_strategy_all_of_the_traffic_moves_at_once(rollout: Any) -> None:
    plan = planned(function(rollout=rollout))
    assert plan.rollout is None
    assert not any("new version" in decision for decision in plan.decisions)


@pytest.mark.parametrize(
    ("changes", "key", "reason", "hint"),
    [
        (
            asked(1, strategy="canary", wait_interval_s=180),
            ("rollout",),
            "nothing would call a bad version back: at the average load 10 percent of the requests take 4 min to make an alarm "
            "go off, and the shift takes 3 min",
            "write wait_interval_s: 240 or more, a larger share_percent, or strategy: none",
        ),
        (
            asked(1, strategy="linear", share_percent=1, wait_interval_s=1800),
            ("rollout", "wait_interval_s"),
            "makes a shift of 2,970 min; CodeDeploy takes 2,880 min at most",
            "wait less, or move a larger share at a time (share_percent)",
        ),
        (
            {
                **asked(1, strategy="canary"),
                "alarms": {one: {"off_because": "no"} for one in ("error_rate", "duration_p95")},
            },
            ("alarms",),
            "error_rate and duration_p95 are off, but a new version takes over by a canary shift",
            "leave one of them on, or write rollout.strategy: none",
        ),
    ],
)
def test_a_shift_that_is_refused_or_calls_nothing_back(
    changes: dict[str, Any], key: tuple[str, ...], reason: str, hint: str
) -> None:
    (found,) = faults_of(function(**changes))
    assert found.key_path == ("workloads", "plants", *key)
    assert found.reason.startswith(reason)
    assert found.hint == hint


def test_alarms_of_the_version_are_paid() -> None:
    def usd(**changes: Any) -> float:
        line = whole(function(**changes)).bill.lines[0]
        return sum(item.usd_per_month or 0 for item in line.items if item.name.startswith("alarm"))

    # An alarm on a metric, and one on two of them.
    assert usd(**asked(1, strategy="linear")) - usd() == pytest.approx(3 * 0.10)


@pytest.mark.parametrize(
    ("strategy", "share_percent", "interval_s", "name"),
    [
        ("canary", 10, 300, "CodeDeployDefault.LambdaCanary10Percent5Minutes"),
        ("canary", 10, 1800, "CodeDeployDefault.LambdaCanary10Percent30Minutes"),
        ("linear", 10, 60, "CodeDeployDefault.LambdaLinear10PercentEvery1Minute"),
        ("linear", 10, 600, "CodeDeployDefault.LambdaLinear10PercentEvery10Minutes"),
        ("canary", 10, 60, None),
        ("canary", 20, 300, None),
        ("linear", 10, 300, None),
    ],
)
def test_what_aws_has_a_configuration_for(
    strategy: Any, share_percent: int, interval_s: int, name: str | None
) -> None:
    assert predefined_config(strategy, share_percent, interval_s) == name


def test_a_shift_waits_after_each_step_but_the_last() -> None:
    assert [waits("canary", 5), waits("linear", 10), waits("linear", 30), waits("linear", 99)] == [1, 9, 3, 1]
