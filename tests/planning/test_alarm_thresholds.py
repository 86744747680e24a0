"""Alarms follow from the objective and from the metrics that the hardware has, unless the configuration says otherwise."""

from typing import Any

import pytest

from sizewell.planning.alarm_thresholds import alarm_faults, plan_alarms
from sizewell.planning.errors import PlanFault
from sizewell.planning.workload_plan import AlarmPlan
from tests.instance_selection.builders import catalog, gpu_instance
from tests.planning.builders import endpoint, llm_endpoint, planned_endpoint

#: Of every endpoint, unless a threshold is stated.
OFF = {"server_error_rate", "client_error_rate", "model_latency_p99", "overhead_latency", "cpu_utilization"}
ONE = catalog(gpu_instance("ml.g1.xlarge"), usd_per_hour={"ml.g1.xlarge": 1.0})


def alarms(
    *, gpu_count: int = 0, requests_per_second: float = 10, **changes: Any
) -> tuple[dict[str, AlarmPlan], dict[str, str]]:
    stated = endpoint(**changes)
    return plan_alarms(stated, stated.alarms, gpu_count, requests_per_second)


def llm_alarms(**stated: Any) -> tuple[dict[str, AlarmPlan], dict[str, str]]:
    generating = llm_endpoint(alarms=stated)
    return plan_alarms(generating, generating.alarms, gpu_count=4, average_requests_per_second=10)


def thresholds(max_p95_ms: float = 100, **latency: float) -> dict[str, float]:
    on, _ = alarms(latency={"max_p95_ms": max_p95_ms, **latency})
    return {name: alarm.threshold for name, alarm in on.items()}


def evaluation(name: str, requests_per_second: float = 10, **stated: Any) -> tuple[int, int, int]:
    on, _ = alarms(requests_per_second=requests_per_second, alarms={name: stated})
    alarm = on[name]
    return (alarm.period_s, alarm.datapoints_to_alarm, alarm.evaluation_periods)


@pytest.mark.parametrize(
    ("requests_an_hour", "period_s", "periods"),
    [(100_000, 3600, 4), (60, 3600, 4), (59, 14_400, 3), (5, 14_400, 3), (4, 86_400, 2)],
)
def test_slow_requests_are_looked_for_in_an_hour_or_in_as_long_as_some_come(
    requests_an_hour: float, period_s: int, periods: int
) -> None:
    on, _ = alarms(requests_per_second=requests_an_hour / 3600)
    assert on["model_latency_p95"] == AlarmPlan(
        threshold=1000, period_s=period_s, datapoints_to_alarm=1, evaluation_periods=periods
    )


def test_gpu_type_watches_the_memory_of_its_gpus() -> None:
    on, off = alarms(gpu_count=1)
    assert on["gpu_memory_utilization"].threshold == 95
    assert off.keys() == {"gpu_utilization", *OFF}


def test_llm_engine_fills_a_gpu_on_purpose_and_a_team_may_watch_it_all_the_same() -> None:
    on, off = llm_alarms()
    assert not on.keys() & {"gpu_utilization", "gpu_memory_utilization"}
    assert off.keys() == {"gpu_utilization", "gpu_memory_utilization", *OFF}
    on, off = llm_alarms(gpu_utilization={"above_percent": 99})
    assert on["gpu_utilization"].threshold == 99
    assert off.keys() == {"gpu_memory_utilization", *OFF}


def test_type_without_nvidia_gpus_has_no_gpu_alarms_and_no_reason_to_tell() -> None:
    on, off = alarms()
    assert not on.keys() & {"gpu_utilization", "gpu_memory_utilization"}
    assert off.keys() == OFF


def test_latency_thresholds_follow_the_objective() -> None:
    assert thresholds(80)["model_latency_p95"] == 80
    assert "model_latency_p99" not in thresholds(80)
    assert thresholds(80, max_p99_ms=90)["model_latency_p99"] == 90


@pytest.mark.parametrize(
    ("requests_an_hour", "period_s"), [(2000, 3600), (1999, 14_400), (5, 14_400), (4, 86_400)]
)
def test_errors_are_a_share_of_2000_requests_or_of_as_many_as_come(
    requests_an_hour: float, period_s: int
) -> None:
    on, _ = alarms(requests_per_second=requests_an_hour / 3600)
    assert (on["model_error_rate"].threshold, on["model_error_rate"].period_s) == (0.25, period_s)


@pytest.mark.parametrize(
    ("objective", "threshold", "requests_per_second", "period_s"),
    [(99.99, 0.025, 20_000 / 3600, 3600), (99.99, 0.025, 1, 14_400), (99, 2.5, 200 / 3600, 3600)],
)
def test_a_stricter_objective_allows_fewer_errors_of_more_requests(
    objective: float, threshold: float, requests_per_second: float, period_s: int
) -> None:
    on, _ = alarms(min_availability_percent=objective, requests_per_second=requests_per_second)
    found = on["model_error_rate"]
    assert (found.threshold, found.period_s) == (threshold, period_s)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("server_error_rate", "above_percent"),
        ("client_error_rate", "above_percent"),
        ("overhead_latency", "above_ms"),
        ("cpu_utilization", "above_percent"),
    ],
)
def test_an_alarm_that_another_includes_or_that_nobody_can_act_on_needs_a_threshold(
    name: str, key: str
) -> None:
    on, off = alarms()
    assert name not in on
    assert f"state {key} for an alarm" in off[name]
    on, _ = alarms(alarms={name: {key: 5}})
    assert on[name].threshold == 5


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ({}, (60, 3, 5)),
        ({"period_s": 300}, (300, 2, 3)),
        ({"evaluation_periods": 4}, (60, 4, 4)),
        ({"datapoints_to_alarm": 2}, (60, 2, 5)),
        ({"datapoints_to_alarm": 8}, (60, 8, 8)),
        ({"datapoints_to_alarm": 2, "evaluation_periods": 4}, (60, 2, 4)),
    ],
)
def test_what_is_not_stated_fits_to_what_is(stated: dict[str, int], expected: tuple[int, int, int]) -> None:
    assert evaluation("overhead_latency", above_ms=100, **stated) == expected


def test_instances_are_looked_at_for_longer_and_a_stated_period_goes_before_that_of_the_traffic() -> None:
    assert evaluation("memory_utilization") == (60, 10, 15)
    assert evaluation("model_latency_p95", requests_per_second=0.01, period_s=60) == (60, 2, 3)


def test_an_alarm_that_is_off_keeps_its_reason() -> None:
    on, off = alarms(alarms={"disk_utilization": {"off_because": "the cache fills it"}})
    assert "disk_utilization" not in on
    assert off["disk_utilization"] == "the cache fills it"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("model_latency_p99", "at peak load: the alarm would go off while all is well"),
        (
            "model_latency_p95",
            "at peak load: the alarm would go off while all is well, and call every new model back",
        ),
    ],
)
def test_threshold_below_the_prediction_is_refused(name: str, words: str) -> None:
    predicted_ms = planned_endpoint(ONE).selection.chosen.estimate.p95_latency_ms

    def faults(above_ms: float) -> list[PlanFault]:
        alarms = {"model_latency_p95": {"off_because": "another tells"}, name: {"above_ms": above_ms}}
        stated = endpoint(alarms=alarms)
        return list(alarm_faults(stated.alarms, planned_endpoint(ONE, stated)))

    assert faults(predicted_ms * 1.01) == []
    (fault,) = faults(predicted_ms * 0.99)
    assert fault.key_path == ("workloads", "plants", "alarms", name, "above_ms")
    assert fault.reason.endswith(words)
