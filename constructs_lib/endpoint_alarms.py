"""CloudWatch alarms on one production variant of a real-time endpoint, from thresholds in percent and milliseconds.

The metrics stand in ``sizewell.facts.endpoint_metrics``. An alarm is made only for a threshold that is given: an LLM
engine that reserves all GPU memory at start, for example, has no sensible GPU memory threshold.
"""

from dataclasses import dataclass, fields

from aws_cdk import aws_cloudwatch as cloudwatch
from constructs import Construct

from sizewell.facts.endpoint_metrics import (
    EndpointMetric,
    MetricSum,
    MetricUnit,
    endpoint_metrics,
    variant_dimensions,
)

MICROSECONDS_PER_MILLISECOND = 1000
PERIOD_S = 60

#: What a new fleet is called back for: what its container answers, and how late. Clients' own errors do not count.
ROLLBACK_ALARMS = ("ServerErrorRate", "ModelErrorRate", "ModelLatencyP99")


@dataclass(frozen=True, kw_only=True)
class AlarmThresholds:
    """The highest healthy values; None means no alarm.

    Rates are a share of all requests in percent, 0 meaning that any error counts. Utilisation is in percent of the
    whole instance: 90 is nine tenths of all its vCPUs or GPUs together. Raises ValueError for a value that could never
    be exceeded or always is.
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

    def __post_init__(self) -> None:
        """Check every threshold against the range of its metric."""
        for field in fields(self):
            value = getattr(self, field.name)
            if value is None:
                continue
            limit = float("inf") if field.name.endswith("_ms") else 100
            lowest_allowed = field.name.endswith("_error_rate_percent")
            if not (0 < value < limit or (lowest_allowed and value == 0)):
                raise ValueError(f"{field.name} must lie between 0 and {limit:g}, got {value!r}")


@dataclass(frozen=True)
class _Evaluation:
    """How many of the last periods must breach, and how missing data are treated."""

    datapoints_to_alarm: int
    evaluation_periods: int
    treat_missing_data: str


# Data exist only while there are requests: no traffic is not an outage.
_OF_REQUESTS = _Evaluation(3, 5, "notBreaching")
_OF_LONG_PERIODS = _Evaluation(2, 3, "notBreaching")
# Instances report every minute: silence is unknown, neither good nor bad. A scale-out has time to help.
_OF_INSTANCES = _Evaluation(10, 15, "missing")
_SILENCE = "max_memory_utilization_percent"


@dataclass(frozen=True)
class _AlarmRule:
    """How one threshold becomes an alarm."""

    construct_id: str
    threshold: str
    metric_name: str
    statistic: str
    evaluation: _Evaluation

    @property
    def metric(self) -> EndpointMetric:
        """The metric that is watched."""
        return endpoint_metrics()[self.metric_name]


# Load is judged by the Average over the instances, as the autoscaler sees it; what one instance alone can run out of,
# by the Maximum. OverheadLatency has no percentiles.
_RULES = (
    _AlarmRule(
        "ServerErrorRate", "max_5xx_error_rate_percent", "Invocation5XXErrors", "Average", _OF_REQUESTS
    ),
    # Time-outs, broken connections and answers that are no answers: a hung container or a dead fleet shows only here.
    _AlarmRule(
        "ModelErrorRate", "max_model_error_rate_percent", "InvocationModelErrors", "Average", _OF_REQUESTS
    ),
    _AlarmRule(
        "ClientErrorRate", "max_4xx_error_rate_percent", "Invocation4XXErrors", "Average", _OF_REQUESTS
    ),
    _AlarmRule("ModelLatencyP95", "max_p95_model_latency_ms", "ModelLatency", "p95", _OF_REQUESTS),
    _AlarmRule("ModelLatencyP99", "max_p99_model_latency_ms", "ModelLatency", "p99", _OF_REQUESTS),
    _AlarmRule(
        "OverheadLatency", "max_average_overhead_latency_ms", "OverheadLatency", "Average", _OF_REQUESTS
    ),
    _AlarmRule(
        "CpuUtilization", "max_average_cpu_utilization_percent", "CPUUtilization", "Average", _OF_INSTANCES
    ),
    _AlarmRule(
        "GpuUtilization", "max_average_gpu_utilization_percent", "GPUUtilization", "Average", _OF_INSTANCES
    ),
    _AlarmRule(
        "GpuMemoryUtilization",
        "max_gpu_memory_utilization_percent",
        "GPUMemoryUtilization",
        "Maximum",
        _OF_INSTANCES,
    ),
    _AlarmRule(
        "MemoryUtilization", "max_memory_utilization_percent", "MemoryUtilization", "Maximum", _OF_INSTANCES
    ),
    _AlarmRule(
        "DiskUtilization", "max_disk_utilization_percent", "DiskUtilization", "Maximum", _OF_INSTANCES
    ),
)


@dataclass(frozen=True, kw_only=True)
class EndpointAlarmProps:
    """The variant to watch, its thresholds, and the topic to notify.

    ``vcpu_count`` and ``gpu_count`` are those of one instance; the CPU and GPU metrics sum over them, and thresholds of
    these metrics need them. ``alarm_topic_arn`` is notified when an alarm starts and when it ends. ``latency_period_s`` is
    what one datum of a latency percentile covers: long enough to hold a hundred requests, or the slowest of a few decides.
    Raises ValueError where a count is missing, and for a period that CloudWatch does not have.
    """

    endpoint_name: str
    variant_name: str
    thresholds: AlarmThresholds
    alarm_topic_arn: str
    vcpu_count: int = 0
    gpu_count: int = 0
    latency_period_s: int = PERIOD_S

    def __post_init__(self) -> None:
        """Check the counts that thresholds are multiplied by, and the period."""
        # https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html; three of them in a day.
        if self.latency_period_s % PERIOD_S or not PERIOD_S <= self.latency_period_s <= 6 * 3600:
            raise ValueError(
                f"latency_period_s must be whole minutes, at most six hours, got {self.latency_period_s}"
            )
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
        dimensions = [
            cloudwatch.CfnAlarm.DimensionProperty(name=name, value=value)
            for name, value in variant_dimensions(props.endpoint_name, props.variant_name)
        ]
        for rule in _RULES:
            limit: float | None = getattr(props.thresholds, rule.threshold)
            if limit is not None:
                self._alarms[rule.construct_id] = self._alarm(rule, limit, dimensions, props)

    @property
    def rollback_alarm_names(self) -> list[str]:
        """The names (tokens) of the alarms that call a new fleet back."""
        return [self._alarms[name].ref for name in ROLLBACK_ALARMS if name in self._alarms]

    def _alarm(
        self,
        rule: _AlarmRule,
        limit: float,
        dimensions: list[cloudwatch.CfnAlarm.DimensionProperty],
        props: EndpointAlarmProps,
    ) -> cloudwatch.CfnAlarm:
        percentile = rule.statistic.startswith("p")
        period_s = props.latency_period_s if percentile else PERIOD_S
        evaluation = rule.evaluation if period_s == PERIOD_S else _OF_LONG_PERIODS
        return cloudwatch.CfnAlarm(
            self,
            rule.construct_id,
            alarm_name=alarm_name(props.endpoint_name, props.variant_name, rule.construct_id),
            alarm_description=_describe(rule, limit, props, evaluation, period_s),
            namespace=rule.metric.namespace,
            metric_name=rule.metric_name,
            dimensions=dimensions,
            statistic=None if percentile else rule.statistic,
            extended_statistic=rule.statistic if percentile else None,
            comparison_operator="GreaterThanThreshold",
            threshold=_in_metric_unit(rule.metric, limit, props),
            period=period_s,
            evaluation_periods=evaluation.evaluation_periods,
            datapoints_to_alarm=evaluation.datapoints_to_alarm,
            treat_missing_data=evaluation.treat_missing_data,
            alarm_actions=[props.alarm_topic_arn],
            ok_actions=[props.alarm_topic_arn],
            # A fleet of which no instance reports any more: one of the alarms says so.
            insufficient_data_actions=[props.alarm_topic_arn] if rule.threshold == _SILENCE else None,
        )


def alarm_name(endpoint_name: str, variant_name: str, construct_id: str) -> str:
    """Return the name of an alarm, such as those of ``ROLLBACK_ALARMS``."""
    return f"{endpoint_name}-{variant_name}-{construct_id}"


def _in_metric_unit(metric: EndpointMetric, limit: float, props: EndpointAlarmProps) -> float:
    """Convert a threshold in percent or milliseconds to the unit of the metric."""
    match metric.unit:
        case MetricUnit.NONE:
            return round(limit / 100, 9)  # 1.1 % is 0.011, not 0.011000000000000001
        case MetricUnit.MICROSECONDS:
            return limit * MICROSECONDS_PER_MILLISECOND
        case MetricUnit.PERCENT:
            units = {
                MetricSum.INSTANCE: 1,
                MetricSum.VCPUS: props.vcpu_count,
                MetricSum.GPUS: props.gpu_count,
            }
            return limit * units[metric.summed_over]
        case MetricUnit.UNKNOWN:
            raise ValueError(f"the unit of {metric.name} is not known: look it up for endpoint_metrics.csv")


def _describe(
    rule: _AlarmRule, limit: float, props: EndpointAlarmProps, evaluation: _Evaluation, period_s: int
) -> str:
    unit = "ms" if rule.metric.unit is MetricUnit.MICROSECONDS else "%"
    return (
        f"{rule.statistic} {rule.metric_name} of variant {props.variant_name} of endpoint {props.endpoint_name} "
        f"above {limit:g} {unit} in {evaluation.datapoints_to_alarm} of {evaluation.evaluation_periods} "
        f"{'minutes' if period_s == PERIOD_S else f'periods of {period_s // 60} minutes'}"
    )
