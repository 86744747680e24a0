"""Alarm thresholds, derived from the latency objective and the hardware."""

from sizewell.config.endpoint import MAX_INVOCATION_MS, Latency
from sizewell.facts.models import Engine
from sizewell.planning.plan import AlarmPlan

ERROR_5XX_PERCENT = 1.0
#: Time-outs and broken answers, which no container reports itself.
MODEL_ERROR_PERCENT = 1.0
ERROR_4XX_PERCENT = 5.0
#: A percentile of fewer requests is the slowest one of them.
MIN_REQUESTS_OF_PERCENTILE = 100
#: Periods of CloudWatch to choose from, in seconds; three of the longest are half a day.
LATENCY_PERIODS_S = (60, 300, 900, 3600, 14_400)
#: The slowest percent may take this many times the 95th percentile, unless the configuration says otherwise.
P99_OVER_P95 = 2.0
#: SageMaker's own share of a request may take this share of the objective, and at least so many milliseconds: the
#: first request of a quiet endpoint pays for TLS and authorisation.
OVERHEAD_SHARE = 0.25
MIN_OVERHEAD_MS = 100.0
#: CPU and GPU are worked hard before autoscaling answers; memory and disk that are this full do not come back.
CPU_PERCENT = 90.0
GPU_PERCENT = 95.0
MEMORY_PERCENT = 90.0
DISK_PERCENT = 80.0
GPU_MEMORY_PERCENT = 95.0


def alarm_thresholds(
    latency: Latency, engine: Engine, gpu_count: int, average_requests_per_second: float
) -> AlarmPlan:
    """Return the thresholds of an endpoint whose instances have ``gpu_count`` NVIDIA GPUs."""
    # An LLM engine takes nearly all GPU memory for its KV cache at start, and always has a kernel running while anybody
    # waits for an answer, which is all that GPUUtilization counts: full is normal there.
    watches_gpu = gpu_count and engine is not Engine.LLM_ENGINE
    return AlarmPlan(
        max_5xx_error_rate_percent=ERROR_5XX_PERCENT,
        max_model_error_rate_percent=MODEL_ERROR_PERCENT,
        max_4xx_error_rate_percent=ERROR_4XX_PERCENT,
        max_p95_model_latency_ms=latency.max_p95_ms,
        max_p99_model_latency_ms=latency.max_p99_ms or _default_p99_ms(latency.max_p95_ms),
        max_average_overhead_latency_ms=max(MIN_OVERHEAD_MS, latency.max_p95_ms * OVERHEAD_SHARE),
        max_average_cpu_utilization_percent=CPU_PERCENT,
        max_memory_utilization_percent=MEMORY_PERCENT,
        max_disk_utilization_percent=DISK_PERCENT,
        max_average_gpu_utilization_percent=GPU_PERCENT if watches_gpu else None,
        max_gpu_memory_utilization_percent=GPU_MEMORY_PERCENT if watches_gpu else None,
        latency_period_s=_latency_period_s(average_requests_per_second),
    )


def _latency_period_s(average_requests_per_second: float) -> int:
    """Return the shortest period that holds enough requests for a percentile, else the longest."""
    fitting = (
        period
        for period in LATENCY_PERIODS_S
        if period * average_requests_per_second >= MIN_REQUESTS_OF_PERCENTILE
    )
    return next(fitting, LATENCY_PERIODS_S[-1])


def _default_p99_ms(max_p95_ms: float) -> float:
    """Return a threshold that can be exceeded: SageMaker gives up on a request after 60 seconds.

    Where twice the 95th percentile is beyond that, it lies halfway between the objective and the end.
    """
    return min(max_p95_ms * P99_OVER_P95, (max_p95_ms + MAX_INVOCATION_MS) / 2)
