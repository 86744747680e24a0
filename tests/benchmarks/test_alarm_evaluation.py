"""The replay evaluates alarms as CloudWatch's own examples do."""

import numpy as np
import pytest

from tools.benchmarks.alarm_replay.composites import composite_states, unsuppressed
from tools.benchmarks.alarm_replay.evaluation import ALARM, INSUFFICIENT_DATA, OK, evaluate, states_of
from tools.benchmarks.alarm_replay.expressions import value_of
from tools.benchmarks.alarm_replay.series import Series
from tools.benchmarks.alarm_replay.template_alarms import alarms_of, notifications, replay, rollback_alarms_of

KEPT = -1
TREATMENTS = ("missing", "ignore", "breaching", "notBreaching")


# "Configuring how CloudWatch alarms treat missing data": 0 does not breach, X does, - is missing; the newest is the last.
@pytest.mark.parametrize(
    ("data", "datapoints_to_alarm", "states"),
    [
        ("0-X-X", 3, (OK, OK, OK, OK)),
        ("0----", 3, (OK, OK, OK, OK)),
        ("-----", 3, (INSUFFICIENT_DATA, KEPT, ALARM, OK)),
        ("0XX-X", 3, (ALARM, ALARM, ALARM, ALARM)),
        ("----X", 3, (INSUFFICIENT_DATA, KEPT, ALARM, OK)),
        ("X----", 3, (ALARM, KEPT, ALARM, OK)),
        ("--X--", 3, (ALARM, KEPT, ALARM, OK)),
        ("0-X-X", 2, (ALARM, ALARM, ALARM, ALARM)),
        ("00X0X", 2, (ALARM, ALARM, ALARM, ALARM)),
        ("0-X--", 2, (OK, OK, ALARM, OK)),
        ("----0", 2, (OK, OK, ALARM, OK)),
        ("----X", 2, (INSUFFICIENT_DATA, KEPT, ALARM, OK)),
    ],
)
def test_missing_data_are_treated_as_in_the_examples(
    data: str, datapoints_to_alarm: int, states: tuple[int, ...]
) -> None:
    values = np.array([[{"0": 0.0, "X": 1.0, "-": np.nan}[point] for point in reversed(data)]])

    found = tuple(
        int(
            evaluate(
                values,
                values > 0,
                datapoints_to_alarm=datapoints_to_alarm,
                evaluation_periods=3,
                treat_missing_data=treatment,
            )[0]
        )
        for treatment in TREATMENTS
    )

    assert found == states


def test_three_of_three_periods_as_in_the_figure() -> None:
    # "Alarm evaluation": the threshold is breached from the third to the fifth period, and again in the ninth alone.
    values = np.array([2.0, 2, 4, 4, 4, 2, 2, 2, 4, 2])

    states = states_of(
        values,
        comparison="GreaterThanThreshold",
        threshold=3,
        period_minutes=1,
        datapoints_to_alarm=3,
        evaluation_periods=3,
        treat_missing_data="notBreaching",
    )

    assert np.flatnonzero(states == ALARM).tolist() == [4]


def test_a_longer_period_is_evaluated_every_minute() -> None:
    # "At the end of minute 6, the alarm is evaluated based on data from minutes 2 to 6."
    series = Series(np.array([0.0, 1.0]), np.array([[1, 0], [0, 3], [1, 0], [1, 0]], dtype=float))

    assert series.statistic("Sum", 2).tolist() == [0, 3, 3, 0]


def test_statistics_are_those_of_the_period() -> None:
    counts = np.array([[98.0, 1, 1], [0, 0, 0]])
    series = Series(np.array([1.0, 5.0, 9.0]), counts)

    found = {
        name: series.statistic(name, 1)[0] for name in ("Sum", "Average", "Maximum", "Minimum", "SampleCount")
    }

    assert found == {"Sum": 112, "Average": 1.12, "Maximum": 9, "Minimum": 1, "SampleCount": 100}
    assert [series.statistic(name, 1)[0] for name in ("p95", "p99", "p99.5")] == [1, 5, 9]
    assert np.isnan(series.statistic("p95", 1)[1])


@pytest.mark.parametrize(("samples", "alarms"), [(199, False), (200, True)])
def test_a_percentile_of_few_samples_keeps_the_state(samples: int, alarms: bool) -> None:
    # "fewer than 10/(1-percentile) data points"
    template = {
        "Resources": {"Alarm": _alarm(EvaluateLowSampleCountPercentile="ignore", ExtendedStatistic="p95")}
    }
    metric = ("AWS/SageMaker", "ModelLatency", frozenset[tuple[str, str]]())
    counts = np.zeros((4, 1))
    counts[1:] = samples

    states = replay(alarms_of(template), {metric: Series(np.array([2.0]), counts)}, 4)

    assert bool(states["slow"][-1] == ALARM) is alarms


def test_metric_math_leaves_out_what_is_missing() -> None:
    series = {"errors": np.array([1.0, 0, np.nan, 5]), "requests": np.array([100.0, 0, 4, 8])}

    rate = value_of("100 * errors / requests", series)
    enough = value_of("IF(requests >= 10 AND errors > 0, 100 * errors / requests, 0)", series)

    assert rate[[0, 3]].tolist() == [1, 62.5]
    assert np.isnan(rate[[1, 2]]).all()
    assert enough[[0, 1, 3]].tolist() == [1, 0, 0]
    assert value_of("FILL(errors, 0)", series).tolist() == [1, 0, 0, 5]


def test_unknown_metric_math_is_refused() -> None:
    with pytest.raises(
        ValueError, match=r"^the replay does not know this part of metric math: RATE\(errors\)$"
    ):
        value_of("RATE(errors)", {"errors": np.zeros(1)})


@pytest.mark.parametrize(
    ("rule", "states"),
    [
        ('ALARM("a") OR ALARM("b")', [ALARM, ALARM, OK]),
        ("ALARM(a) AND NOT OK(b)", [ALARM, OK, OK]),
        ('(ALARM("a") OR INSUFFICIENT_DATA("b")) AND TRUE', [ALARM, OK, OK]),
    ],
)
def test_a_composite_alarm_follows_its_rule(rule: str, states: list[int]) -> None:
    children = {"a": np.array([1, 0, 0], dtype=np.int8), "b": np.array([2, 1, 0], dtype=np.int8)}
    children["b"] = np.array([1, 1, 0], dtype=np.int8) if "INSUFF" not in rule else children["b"]

    assert composite_states(rule, children).tolist() == states


@pytest.mark.parametrize(
    ("suppressor", "performed"),
    [
        # The suppressor never comes: the action waits for it.
        ([0, 0, 0, 0, 0, 0, 0, 0], [3]),
        # It comes in time, and ends: the action follows after the extension.
        ([0, 0, 1, 1, 0, 0, 0, 0], [5]),
        # It stays.
        ([0, 1, 1, 1, 1, 1, 1, 1], []),
    ],
)
def test_a_suppressor_holds_actions_back(suppressor: list[int], performed: list[int]) -> None:
    states = np.array([OK, ALARM, ALARM, ALARM, ALARM, ALARM, ALARM, ALARM], dtype=np.int8)

    found = unsuppressed(states, np.array(suppressor, dtype=np.int8), wait_minutes=2, extension_minutes=1)

    assert np.flatnonzero(found).tolist() == performed


def test_a_topic_hears_of_a_change_and_not_of_a_state() -> None:
    alarm = _alarm(Statistic="Average", AlarmActions=[{"Ref": "AlarmTopicArn"}])
    metric = ("AWS/SageMaker", "ModelLatency", frozenset[tuple[str, str]]())
    published = {
        metric: Series(np.array([0.0, 2.0]), np.array([[1, 0], [0, 1], [0, 1], [1, 0], [0, 1]], dtype=float))
    }
    alarms = alarms_of({"Resources": {"Alarm": alarm}})

    assert list(notifications(alarms, replay(alarms, published, 5))) == [(1, "slow"), (4, "slow")]


def test_the_alarms_that_call_a_fleet_back_are_found_by_name() -> None:
    endpoint = {
        "Type": "AWS::SageMaker::Endpoint",
        "Properties": {
            "DeploymentConfig": {"AutoRollbackConfiguration": {"Alarms": [{"AlarmName": {"Ref": "Alarm"}}]}}
        },
    }

    template = {"Resources": {"Alarm": _alarm(Statistic="Average"), "Endpoint": endpoint}}

    assert rollback_alarms_of(template) == {"slow"}


def _alarm(**properties: object) -> dict[str, object]:
    return {
        "Type": "AWS::CloudWatch::Alarm",
        "Properties": {
            "AlarmName": "slow",
            "Namespace": "AWS/SageMaker",
            "MetricName": "ModelLatency",
            "ComparisonOperator": "GreaterThanThreshold",
            "Threshold": 1,
            "Period": 60,
            "EvaluationPeriods": 1,
            "TreatMissingData": "notBreaching",
            **properties,
        },
    }
