"""Alarms follow from the objective and from the metrics that the hardware has."""

from sizewell.config.endpoint import Latency
from sizewell.facts.models import Engine
from sizewell.planning.alarm_thresholds import alarm_thresholds


def latency(max_p95_ms: float = 100, max_p99_ms: float | None = None) -> Latency:
    return Latency(max_p95_ms=max_p95_ms, max_p99_ms=max_p99_ms)


def test_gpu_type_watches_gpu_and_its_memory() -> None:
    alarms = alarm_thresholds(latency(), Engine.EAGER, gpu_count=1)
    assert alarms.max_average_gpu_utilization_percent == 95
    assert alarms.max_gpu_memory_utilization_percent == 95


def test_llm_engine_fills_a_gpu_on_purpose() -> None:
    alarms = alarm_thresholds(latency(), Engine.LLM_ENGINE, gpu_count=4)
    assert alarms.max_average_gpu_utilization_percent is None
    assert alarms.max_gpu_memory_utilization_percent is None


def test_type_without_nvidia_gpus_has_no_gpu_alarms() -> None:
    alarms = alarm_thresholds(latency(), Engine.EAGER, gpu_count=0)
    assert alarms.max_average_gpu_utilization_percent is None
    assert alarms.max_gpu_memory_utilization_percent is None


def test_p95_threshold_is_the_objective() -> None:
    assert alarm_thresholds(latency(80), Engine.EAGER, 0).max_p95_model_latency_ms == 80


def test_slowest_percent_may_take_twice_the_objective() -> None:
    assert alarm_thresholds(latency(80), Engine.EAGER, 0).max_p99_model_latency_ms == 160


def test_stated_threshold_of_the_slowest_percent_is_kept() -> None:
    assert alarm_thresholds(latency(80, 90), Engine.EAGER, 0).max_p99_model_latency_ms == 90


def test_overhead_is_a_share_of_the_objective_but_never_less_than_a_handshake() -> None:
    assert alarm_thresholds(latency(20), Engine.EAGER, 0).max_average_overhead_latency_ms == 100
    assert alarm_thresholds(latency(4000), Engine.EAGER, 0).max_average_overhead_latency_ms == 1000


def test_the_default_p99_can_be_exceeded_before_sagemaker_gives_up() -> None:
    assert alarm_thresholds(latency(40_000), Engine.EAGER, 0).max_p99_model_latency_ms == 50_000
