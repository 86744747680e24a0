"""What the alarms of an endpoint judge: the thresholds, in percent, milliseconds and seconds, and a rule for each.

The metrics stand in ``sizewell.facts.endpoint_metrics``. An alarm is made only for a threshold that is given: an LLM
engine that reserves all GPU memory at start, for example, has no sensible GPU memory threshold.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields

from sizewell.facts.alarms import (
    ASYNCHRONOUS_ROLLBACK_ALARMS,
    OF_INSTANCES,
    OF_LOSS,
    OF_REQUESTS,
    OF_SHARES,
    OF_WAKING,
    ROLLBACK_ALARMS,
    SLOW_PERCENT,
)
from sizewell.facts.alarms import AlarmEvaluation as AlarmEvaluation
from sizewell.facts.endpoint_metrics import CLIENT_ERRORS_AMONG, endpoint_metrics
from sizewell.facts.metrics import Metric

_COUNTS = frozenset(
    {
        "max_backlog_without_capacity",
        "max_expired_requests",
        "max_notification_failures",
        "max_provisioned_concurrency_spillover",
        "max_response_upload_failures",
    }
)


@dataclass(frozen=True, kw_only=True)
class AlarmThresholds:
    """The highest healthy values, and of ``min_`` the lowest one; None means no alarm.

    Rates are a share of all requests in percent, 0 meaning that any error counts. Utilisation is in percent of the
    whole instance: 90 is nine tenths of all its vCPUs or GPUs together. An age is in seconds. Every other threshold is a
    number in a period, 0 meaning that any counts.
    Raises ValueError for a value that could never be exceeded or always is.
    """

    max_5xx_error_rate_percent: float | None = None
    max_model_error_rate_percent: float | None = None
    max_4xx_error_rate_percent: float | None = None
    max_p95_model_latency_ms: float | None = None
    max_p99_model_latency_ms: float | None = None
    max_average_overhead_latency_ms: float | None = None
    max_average_cpu_utilization_percent: float | None = None
    max_average_gpu_utilization_percent: float | None = None
    max_gpu_memory_utilization_percent: float | None = None
    max_memory_utilization_percent: float | None = None
    max_disk_utilization_percent: float | None = None
    max_age_of_oldest_request_s: float | None = None
    max_backlog_without_capacity: float | None = None
    max_invocation_failure_rate_percent: float | None = None
    max_expired_requests: float | None = None
    max_response_upload_failures: float | None = None
    max_notification_failures: float | None = None
    max_average_model_setup_time_ms: float | None = None
    max_concurrency_utilization_percent: float | None = None
    max_provisioned_concurrency_spillover: float | None = None
    max_model_loading_wait_time_ms: float | None = None
    min_model_cache_hit_percent: float | None = None

    def __post_init__(self) -> None:
        """Check every threshold against the range of its metric."""
        for threshold in fields(self):
            value = getattr(self, threshold.name)
            if value is None:
                continue
            limit = 100 if threshold.name.endswith("_percent") else float("inf")
            lowest_allowed = threshold.name.endswith("_rate_percent") or threshold.name in _COUNTS
            if not (0 < value < limit or (lowest_allowed and value == 0)):
                raise ValueError(f"{threshold.name} must lie between 0 and {limit:g}, got {value!r}")


@dataclass(frozen=True)
class EndpointAlarmRule:
    """How one threshold becomes an alarm, which is evaluated like this unless somebody says otherwise."""

    name: str
    threshold: str
    metric_name: str
    statistic: str
    evaluation: AlarmEvaluation
    less: str | None = None
    """A metric that is taken away: it counts some of the same requests."""
    is_share: bool = False
    """Whether it is a share of the requests, of which few are chance."""
    others: str | None = None
    """The metric of all other requests, where there is none of all."""
    below: bool = False
    """Whether what is below the threshold is not healthy, rather than what is above."""

    @property
    def construct_id(self) -> str:
        """Its name as a noun: ``ModelLatencyP99`` of ``model_latency_p99``."""
        return self.name.title().replace("_", "")

    @property
    def slow_percent(self) -> int | None:
        """How many of 100 requests may take longer than the threshold, where it is of their time."""
        return SLOW_PERCENT.get(self.name)

    @property
    def metric(self) -> Metric:
        """The metric that is watched."""
        return endpoint_metrics()[self.metric_name]


_OF_SHARE = OF_SHARES[0]
#: Load is judged by the Average over the instances, as the autoscaler sees it; what one instance alone can run out of,
#: by the Maximum. OverheadLatency has no percentiles.
ENDPOINT_ALARM_RULES = (
    EndpointAlarmRule(
        "server_error_rate",
        "max_5xx_error_rate_percent",
        "Invocation5XXErrors",
        "Sum",
        _OF_SHARE,
        is_share=True,
    ),
    # 5XX, time-outs, broken connections and answers that are no answers: a hung container or a dead fleet shows only here.
    EndpointAlarmRule(
        "model_error_rate",
        "max_model_error_rate_percent",
        "InvocationModelErrors",
        "Sum",
        _OF_SHARE,
        less=CLIENT_ERRORS_AMONG["InvocationModelErrors"],
        is_share=True,
    ),
    EndpointAlarmRule(
        "client_error_rate",
        "max_4xx_error_rate_percent",
        "Invocation4XXErrors",
        "Sum",
        _OF_SHARE,
        is_share=True,
    ),
    EndpointAlarmRule("model_latency_p95", "max_p95_model_latency_ms", "ModelLatency", "PR", _OF_SHARE),
    EndpointAlarmRule("model_latency_p99", "max_p99_model_latency_ms", "ModelLatency", "PR", _OF_SHARE),
    EndpointAlarmRule(
        "overhead_latency", "max_average_overhead_latency_ms", "OverheadLatency", "Average", OF_REQUESTS
    ),
    EndpointAlarmRule(
        "cpu_utilization", "max_average_cpu_utilization_percent", "CPUUtilization", "Average", OF_INSTANCES
    ),
    EndpointAlarmRule(
        "gpu_utilization", "max_average_gpu_utilization_percent", "GPUUtilization", "Average", OF_INSTANCES
    ),
    EndpointAlarmRule(
        "gpu_memory_utilization",
        "max_gpu_memory_utilization_percent",
        "GPUMemoryUtilization",
        "Maximum",
        OF_INSTANCES,
    ),
    EndpointAlarmRule(
        "memory_utilization", "max_memory_utilization_percent", "MemoryUtilization", "Maximum", OF_INSTANCES
    ),
    EndpointAlarmRule(
        "disk_utilization", "max_disk_utilization_percent", "DiskUtilization", "Maximum", OF_INSTANCES
    ),
    EndpointAlarmRule(
        "age_of_oldest_request",
        "max_age_of_oldest_request_s",
        "ApproximateAgeOfOldestRequest",
        "Maximum",
        OF_REQUESTS,
    ),
    EndpointAlarmRule(
        "backlog_without_capacity",
        "max_backlog_without_capacity",
        "HasBacklogWithoutCapacity",
        "Maximum",
        OF_WAKING,
    ),
    # No page says whether the failed ones are among those that were processed.
    EndpointAlarmRule(
        "invocation_failures",
        "max_invocation_failure_rate_percent",
        "InvocationFailures",
        "Sum",
        _OF_SHARE,
        is_share=True,
        others="InvocationsProcesssed",
    ),
    EndpointAlarmRule("expired_requests", "max_expired_requests", "ExpiredRequests", "Sum", OF_LOSS),
    # No page says whether these are among InvocationFailures, whose share may hide them in any case.
    EndpointAlarmRule(
        "response_upload_failures", "max_response_upload_failures", "ResponseUploadFailures", "Sum", OF_LOSS
    ),
    EndpointAlarmRule(
        "notification_failures", "max_notification_failures", "NotificationFailures", "Sum", OF_LOSS
    ),
    # Of serverless endpoints.
    EndpointAlarmRule(
        "model_setup_time", "max_average_model_setup_time_ms", "ModelSetupTime", "Average", OF_REQUESTS
    ),
    EndpointAlarmRule(
        "concurrency_utilization",
        "max_concurrency_utilization_percent",
        "ServerlessConcurrentExecutionsUtilization",
        "Maximum",
        OF_REQUESTS,
    ),
    EndpointAlarmRule(
        "provisioned_concurrency_spillover",
        "max_provisioned_concurrency_spillover",
        "ServerlessProvisionedConcurrencySpilloverInvocations",
        "Maximum",
        OF_REQUESTS,
    ),
    # Of multi-model endpoints.
    EndpointAlarmRule(
        "model_loading_wait_time",
        "max_model_loading_wait_time_ms",
        "ModelLoadingWaitTime",
        "Maximum",
        OF_REQUESTS,
    ),
    EndpointAlarmRule(
        "model_cache_hit", "min_model_cache_hit_percent", "ModelCacheHit", "Average", _OF_SHARE, below=True
    ),
)


#: The threshold of each alarm, by the name that the alarm has in the configuration and in a plan.
THRESHOLD_OF_ALARM: Mapping[str, str] = {rule.name: rule.threshold for rule in ENDPOINT_ALARM_RULES}


def rollback_thresholds(thresholds: AlarmThresholds) -> AlarmThresholds:
    """Return those alone that call a new fleet back."""
    names = (*ROLLBACK_ALARMS, *ASYNCHRONOUS_ROLLBACK_ALARMS)
    kept = (THRESHOLD_OF_ALARM[name] for name in names)
    return AlarmThresholds(**{threshold: getattr(thresholds, threshold) for threshold in kept})
