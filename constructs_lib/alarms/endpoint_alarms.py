"""CloudWatch alarms on one production variant of an endpoint, from thresholds in percent, milliseconds and seconds.

The metrics stand in ``sizewell.facts.endpoint_metrics``. An alarm is made only for a threshold that is given: an LLM
engine that reserves all GPU memory at start, for example, has no sensible GPU memory threshold.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields

from aws_cdk import aws_cloudwatch as cloudwatch
from constructs import Construct

from constructs_lib.policies.acknowledgements import acknowledge_all
from sizewell.facts.alarms import (
    ASYNCHRONOUS_ROLLBACK_ALARMS,
    MINUTE_S,
    OF_INSTANCES,
    OF_LOSS,
    OF_REQUESTS,
    OF_WAKING,
    ROLLBACK_ALARMS,
)
from sizewell.facts.alarms import AlarmEvaluation as AlarmEvaluation
from sizewell.facts.endpoint_metrics import (
    EndpointMetric,
    MetricSum,
    MetricUnit,
    component_dimensions,
    configuration_dimensions,
    endpoint_metrics,
    queue_dimensions,
    variant_dimensions,
)

MICROSECONDS_PER_MILLISECOND = 1000


_COUNTS = frozenset(
    {
        "max_backlog_without_capacity",
        "max_invocation_failures",
        "max_expired_requests",
        "max_notification_failures",
        "max_provisioned_concurrency_spillover",
    }
)


@dataclass(frozen=True, kw_only=True)
class AlarmThresholds:
    """The highest healthy values, and of ``min_`` the lowest one; None means no alarm.

    Rates are a share of all requests in percent, 0 meaning that any error counts. Utilisation is in percent of the
    whole instance: 90 is nine tenths of all its vCPUs or GPUs together. The last ten are of an asynchronous endpoint, which
    publishes no other metrics than these and those of its instances, of a serverless one, and of a multi-model one: an age in
    seconds, and numbers in a period, 0 meaning that any counts.
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
    max_invocation_failures: float | None = None
    max_expired_requests: float | None = None
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
            lowest_allowed = threshold.name.endswith("_error_rate_percent") or threshold.name in _COUNTS
            if not (0 < value < limit or (lowest_allowed and value == 0)):
                raise ValueError(f"{threshold.name} must lie between 0 and {limit:g}, got {value!r}")


# Data of requests exist only while there are any: no traffic is not an outage. Instances report every minute: silence is
# unknown, neither good nor bad.
_MISSING_DATA = {
    OF_REQUESTS: "notBreaching",
    OF_LOSS: "notBreaching",
    OF_WAKING: "notBreaching",
    OF_INSTANCES: "missing",
}
#: Of these alarms the first that is there tells that no instance reports any more.
_SILENCE = (
    "max_memory_utilization_percent",
    "max_disk_utilization_percent",
    "max_average_cpu_utilization_percent",
)


@dataclass(frozen=True)
class _AlarmRule:
    """How one threshold becomes an alarm, which is evaluated like this unless somebody says otherwise."""

    name: str
    threshold: str
    metric_name: str
    statistic: str
    evaluation: AlarmEvaluation
    below: bool = False
    """Whether what is below the threshold is not healthy, rather than what is above."""

    @property
    def construct_id(self) -> str:
        """Its name as a noun: ``ModelLatencyP99`` of ``model_latency_p99``."""
        return _construct_id(self.name)

    @property
    def metric(self) -> EndpointMetric:
        """The metric that is watched."""
        return endpoint_metrics()[self.metric_name]


# Load is judged by the Average over the instances, as the autoscaler sees it; what one instance alone can run out of,
# by the Maximum. OverheadLatency has no percentiles.
_RULES = (
    _AlarmRule(
        "server_error_rate", "max_5xx_error_rate_percent", "Invocation5XXErrors", "Average", OF_REQUESTS
    ),
    # Time-outs, broken connections and answers that are no answers: a hung container or a dead fleet shows only here.
    _AlarmRule(
        "model_error_rate", "max_model_error_rate_percent", "InvocationModelErrors", "Average", OF_REQUESTS
    ),
    _AlarmRule(
        "client_error_rate", "max_4xx_error_rate_percent", "Invocation4XXErrors", "Average", OF_REQUESTS
    ),
    _AlarmRule("model_latency_p95", "max_p95_model_latency_ms", "ModelLatency", "p95", OF_REQUESTS),
    _AlarmRule("model_latency_p99", "max_p99_model_latency_ms", "ModelLatency", "p99", OF_REQUESTS),
    _AlarmRule(
        "overhead_latency", "max_average_overhead_latency_ms", "OverheadLatency", "Average", OF_REQUESTS
    ),
    _AlarmRule(
        "cpu_utilization", "max_average_cpu_utilization_percent", "CPUUtilization", "Average", OF_INSTANCES
    ),
    _AlarmRule(
        "gpu_utilization", "max_average_gpu_utilization_percent", "GPUUtilization", "Average", OF_INSTANCES
    ),
    _AlarmRule(
        "gpu_memory_utilization",
        "max_gpu_memory_utilization_percent",
        "GPUMemoryUtilization",
        "Maximum",
        OF_INSTANCES,
    ),
    _AlarmRule(
        "memory_utilization", "max_memory_utilization_percent", "MemoryUtilization", "Maximum", OF_INSTANCES
    ),
    _AlarmRule(
        "disk_utilization", "max_disk_utilization_percent", "DiskUtilization", "Maximum", OF_INSTANCES
    ),
    _AlarmRule(
        "age_of_oldest_request",
        "max_age_of_oldest_request_s",
        "ApproximateAgeOfOldestRequest",
        "Maximum",
        OF_REQUESTS,
    ),
    _AlarmRule(
        "backlog_without_capacity",
        "max_backlog_without_capacity",
        "HasBacklogWithoutCapacity",
        "Maximum",
        OF_WAKING,
    ),
    _AlarmRule("invocation_failures", "max_invocation_failures", "InvocationFailures", "Sum", OF_REQUESTS),
    _AlarmRule("expired_requests", "max_expired_requests", "ExpiredRequests", "Sum", OF_LOSS),
    _AlarmRule("notification_failures", "max_notification_failures", "NotificationFailures", "Sum", OF_LOSS),
    # Of serverless endpoints.
    _AlarmRule(
        "model_setup_time", "max_average_model_setup_time_ms", "ModelSetupTime", "Average", OF_REQUESTS
    ),
    _AlarmRule(
        "concurrency_utilization",
        "max_concurrency_utilization_percent",
        "ServerlessConcurrentExecutionsUtilization",
        "Maximum",
        OF_REQUESTS,
    ),
    _AlarmRule(
        "provisioned_concurrency_spillover",
        "max_provisioned_concurrency_spillover",
        "ServerlessProvisionedConcurrencySpilloverInvocations",
        "Maximum",
        OF_REQUESTS,
    ),
    # Of multi-model endpoints.
    _AlarmRule(
        "model_loading_wait_time",
        "max_model_loading_wait_time_ms",
        "ModelLoadingWaitTime",
        "Maximum",
        OF_REQUESTS,
    ),
    _AlarmRule(
        "model_cache_hit", "min_model_cache_hit_percent", "ModelCacheHit", "Average", OF_REQUESTS, below=True
    ),
)


#: The threshold of each alarm, by the name that the alarm has in the configuration and in a plan.
THRESHOLD_OF_ALARM: Mapping[str, str] = {rule.name: rule.threshold for rule in _RULES}


@dataclass(frozen=True, kw_only=True)
class EndpointAlarmProps:
    """The variant to watch, or one inference component of it, its thresholds, and the topic to notify.

    ``vcpu_count`` and ``gpu_count`` are those of one instance; the CPU and GPU metrics sum over them, and thresholds of
    these metrics need them. ``alarm_topic_arn`` is notified when an alarm starts and when it ends; None where only a
    deployment reads them. ``evaluations`` are by the name of a threshold: which periods are looked at, where three of
    five minutes, or ten of fifteen for what instances report, are not right. A percentile of few requests is the slowest
    of them: give it a period that holds a hundred. ``instances_report`` is False where there may be no instance, whose
    silence is then no sign. ``endpoint_config_name`` narrows what a variant answers to the fleet of this configuration,
    and ``name_suffix`` ends the names of alarms beside those of the whole variant. Raises ValueError where a count is
    missing, and for an evaluation of what has no threshold.
    """

    endpoint_name: str
    variant_name: str
    thresholds: AlarmThresholds
    alarm_topic_arn: str | None
    component_name: str | None = None
    vcpu_count: int = 0
    gpu_count: int = 0
    evaluations: Mapping[str, AlarmEvaluation] = field(default_factory=dict)
    instances_report: bool = True
    endpoint_config_name: str | None = None
    name_suffix: str = ""

    def __post_init__(self) -> None:
        """Check the counts that thresholds are multiplied by, and what is evaluated."""
        for threshold in self.evaluations:
            if getattr(self.thresholds, threshold, None) is None:
                raise ValueError(f"evaluations has {threshold}, but there is no such threshold")
        if self.vcpu_count < 0 or self.gpu_count < 0:
            raise ValueError(
                f"an instance has no negative number of vCPUs or GPUs, got {self.vcpu_count} and {self.gpu_count}"
            )
        needed = {MetricSum.VCPUS: "vcpu_count", MetricSum.GPUS: "gpu_count"}
        for rule in _RULES:
            count = needed.get(rule.metric.summed_over)
            if getattr(self.thresholds, rule.threshold) is not None and count and getattr(self, count) == 0:
                raise ValueError(f"{rule.threshold} needs the {count} of the instance type, which is 0")


class EndpointAlarms(Construct):
    """One alarm for each threshold that is given.

    ``Unit`` is left out of the alarms on purpose: a unit that differs from the published one never matches a datum.
    Percentiles of few requests are evaluated all the same (CloudWatch's default): ignoring them would keep a quiet
    endpoint's p99 alarm silent below 1000 requests a minute (CloudWatch User Guide, "Percentile-based alarms and low
    data samples").
    """

    def __init__(self, scope: Construct, construct_id: str, *, props: EndpointAlarmProps) -> None:
        super().__init__(scope, construct_id)
        self._alarms: dict[str, cloudwatch.CfnAlarm] = {}
        stated = [rule.threshold for rule in _RULES if getattr(props.thresholds, rule.threshold) is not None]
        self._silence = next((threshold for threshold in _SILENCE if threshold in stated), None)
        dimensions = {kind: _dimensions(pairs) for kind, pairs in _watched(props).items()}
        for rule in _RULES:
            limit: float | None = getattr(props.thresholds, rule.threshold)
            if limit is not None:
                kind = next(kind for kind in dimensions if kind in rule.metric.kinds)
                self._alarms[rule.construct_id] = self._alarm(rule, limit, dimensions[kind], props)

    @property
    def alarm_names(self) -> list[str]:
        """The names (tokens) of all of them."""
        return [alarm.ref for alarm in self._alarms.values()]

    def _alarm(
        self,
        rule: _AlarmRule,
        limit: float,
        dimensions: list[cloudwatch.CfnAlarm.DimensionProperty],
        props: EndpointAlarmProps,
    ) -> cloudwatch.CfnAlarm:
        percentile = rule.statistic.startswith("p")
        evaluation = props.evaluations.get(rule.threshold, rule.evaluation)
        told = None if props.alarm_topic_arn is None else [props.alarm_topic_arn]
        alarm = cloudwatch.CfnAlarm(
            self,
            rule.construct_id,
            alarm_name=_alarm_name(
                props.component_name or f"{props.endpoint_name}-{props.variant_name}", rule.construct_id
            )
            + props.name_suffix,
            alarm_description=_describe(rule, limit, props, evaluation),
            namespace=rule.metric.namespace,
            metric_name=rule.metric_name,
            dimensions=dimensions,
            statistic=None if percentile else rule.statistic,
            extended_statistic=rule.statistic if percentile else None,
            comparison_operator="LessThanThreshold" if rule.below else "GreaterThanThreshold",
            threshold=_in_metric_unit(rule.metric, limit, props),
            period=evaluation.period_s,
            evaluation_periods=evaluation.evaluation_periods,
            datapoints_to_alarm=evaluation.datapoints_to_alarm,
            treat_missing_data=_MISSING_DATA[rule.evaluation if props.instances_report else OF_REQUESTS],
            alarm_actions=told,
            ok_actions=told,
            # A fleet of which no instance reports any more: one of the alarms says so.
            insufficient_data_actions=told
            if rule.threshold == self._silence and props.instances_report
            else None,
        )
        if told is None:
            acknowledge_all(
                alarm,
                ["HIPAA.Security-CloudWatchAlarmAction", "NIST.800.53.R5-CloudWatchAlarmAction"],
                "SageMaker reads it during a deployment, and brings the old fleet back. People hear of the alarm on the variant.",
            )
        return alarm


def rollback_alarm_wildcards(watched: str, *, asynchronous: bool = False) -> tuple[str, ...]:
    """Return what the names of all alarms match that may call back a fleet: ``watched`` is ENDPOINT-VARIANT.

    Their names end with that of the fleet's configuration, which CloudFormation makes.
    """
    names = ASYNCHRONOUS_ROLLBACK_ALARMS if asynchronous else ROLLBACK_ALARMS
    return tuple(f"{_alarm_name(watched, _construct_id(name))}-*" for name in names)


def rollback_thresholds(thresholds: AlarmThresholds) -> AlarmThresholds:
    """Return those alone that call a new fleet back."""
    names = (*ROLLBACK_ALARMS, *ASYNCHRONOUS_ROLLBACK_ALARMS)
    kept = (THRESHOLD_OF_ALARM[name] for name in names)
    return AlarmThresholds(**{threshold: getattr(thresholds, threshold) for threshold in kept})


def _watched(props: EndpointAlarmProps) -> dict[str, tuple[tuple[str, str], ...]]:
    """Return the dimensions by the kind of metric that has them, what is watched most narrowly first."""
    if props.component_name is not None:
        return {"component": component_dimensions(props.component_name)}
    names = (props.endpoint_name, props.variant_name)
    narrow = (
        {"configuration": configuration_dimensions(*names, props.endpoint_config_name)}
        if props.endpoint_config_name is not None
        else {}
    )
    return {**narrow, "variant": variant_dimensions(*names), "endpoint": queue_dimensions(names[0])}


def _dimensions(pairs: tuple[tuple[str, str], ...]) -> list[cloudwatch.CfnAlarm.DimensionProperty]:
    return [cloudwatch.CfnAlarm.DimensionProperty(name=name, value=value) for name, value in pairs]


def _construct_id(name: str) -> str:
    return name.title().replace("_", "")


def _alarm_name(watched: str, construct_id: str) -> str:
    return f"{watched}-{construct_id}"


def _in_metric_unit(metric: EndpointMetric, limit: float, props: EndpointAlarmProps) -> float:
    """Convert a threshold in percent or milliseconds to the unit of the metric."""
    match metric.unit:
        case MetricUnit.NONE:
            return round(limit / 100, 9)  # 1.1 % is 0.011, not 0.011000000000000001
        case MetricUnit.MICROSECONDS:
            return limit * MICROSECONDS_PER_MILLISECOND
        case MetricUnit.COUNT | MetricUnit.SECONDS:
            return limit
        case MetricUnit.PERCENT:
            units = {
                MetricSum.INSTANCE: 1,
                MetricSum.VCPUS: props.vcpu_count,
                MetricSum.GPUS: props.gpu_count,
            }
            return limit * units[metric.summed_over]
        case MetricUnit.UNKNOWN:
            raise ValueError(f"the unit of {metric.name} is not known: look it up for endpoint_metrics.csv")


_WORDS_OF_UNIT = {
    MetricUnit.NONE: " %",
    MetricUnit.PERCENT: " %",
    MetricUnit.MICROSECONDS: " ms",
    MetricUnit.SECONDS: " s",
    MetricUnit.COUNT: "",
}


def _describe(rule: _AlarmRule, limit: float, props: EndpointAlarmProps, evaluation: AlarmEvaluation) -> str:
    unit = _WORDS_OF_UNIT[rule.metric.unit]
    minutes = evaluation.period_s // MINUTE_S
    watched = f"variant {props.variant_name} of endpoint {props.endpoint_name}"
    if props.endpoint_config_name is not None and "configuration" in rule.metric.kinds:
        watched = f"one fleet of {watched}"
    if props.component_name is not None:
        watched = f"inference component {props.component_name}"
    than = "below" if rule.below else "above"
    return (
        f"{rule.statistic} {rule.metric_name} of {watched} "
        f"{than} {limit:g}{unit} in {evaluation.datapoints_to_alarm} of {evaluation.evaluation_periods} "
        f"{'minutes' if minutes == 1 else f'periods of {minutes} minutes'}"
    )
