"""Alarms follow from the objective and from the metrics that the hardware has."""

import pytest

from sizewell.config.endpoint import Latency
from sizewell.facts.models import Engine
from sizewell.planning.alarm_thresholds import alarm_thresholds
from sizewell.planning.plan import AlarmPlan


def latency(max_p95_ms: float = 100, max_p99_ms: float | None = None) -> Latency:
    return Latency(max_p95_ms=max_p95_ms, max_p99_ms=max_p99_ms)


def thresholds(
    objective: Latency, engine: Engine = Engine.EAGER, gpu_count: int = 0, requests_per_second: float = 10
) -> AlarmPlan:
    return alarm_thresholds(objective, engine, gpu_count, requests_per_second)


@pytest.mark.parametrize(
    ("requests_per_second", "period_s"),
    [(100, 60), (100 / 60, 60), (1.6, 300), (0.25, 900), (0.1, 3600), (0.01, 14_400), (0, 14_400)],
)
def test_a_percentile_is_taken_of_a_hundred_requests_or_of_the_longest_period(
    requests_per_second: float, period_s: int
) -> None:
    assert thresholds(latency(), requests_per_second=requests_per_second).latency_period_s == period_s


def test_gpu_type_watches_gpu_and_its_memory() -> None:
    alarms = thresholds(latency(), Engine.EAGER, gpu_count=1)
    assert alarms.max_average_gpu_utilization_percent == 95
    assert alarms.max_gpu_memory_utilization_percent == 95


def test_llm_engine_fills_a_gpu_on_purpose() -> None:
    alarms = thresholds(latency(), Engine.LLM_ENGINE, gpu_count=4)
    assert alarms.max_average_gpu_utilization_percent is None
    assert alarms.max_gpu_memory_utilization_percent is None


def test_type_without_nvidia_gpus_has_no_gpu_alarms() -> None:
    alarms = thresholds(latency())
    assert alarms.max_average_gpu_utilization_percent is None
    assert alarms.max_gpu_memory_utilization_percent is None


def test_p95_threshold_is_the_objective() -> None:
    assert thresholds(latency(80)).max_p95_model_latency_ms == 80


def test_slowest_percent_may_take_twice_the_objective() -> None:
    assert thresholds(latency(80)).max_p99_model_latency_ms == 160


def test_stated_threshold_of_the_slowest_percent_is_kept() -> None:
    assert thresholds(latency(80, 90)).max_p99_model_latency_ms == 90


def test_overhead_is_a_share_of_the_objective_but_never_less_than_a_handshake() -> None:
    assert thresholds(latency(20)).max_average_overhead_latency_ms == 100
    assert thresholds(latency(4000)).max_average_overhead_latency_ms == 1000


def test_the_default_p99_can_be_exceeded_before_sagemaker_gives_up() -> None:
    assert thresholds(latency(40_000)).max_p99_model_latency_ms == 50_000
