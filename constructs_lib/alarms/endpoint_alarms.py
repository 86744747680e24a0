"""CloudWatch alarms on one production variant of an endpoint, or on one inference component of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from aws_cdk import aws_cloudwatch as cloudwatch
from constructs import Construct

from constructs_lib.alarms.endpoint_thresholds import ENDPOINT_ALARM_RULES, AlarmThresholds, EndpointAlarmRule
from constructs_lib.alarms.first_look import with_first_look
from constructs_lib.alarms.shares import (
    Share,
    error_share,
    error_share_of_new_fleet,
    hit_share,
    metric_queries,
    slow_share,
)
from constructs_lib.policies.acknowledgements import acknowledge_all
from sizewell.facts.alarms import (
    ASYNCHRONOUS_ROLLBACK_ALARMS,
    OF_INSTANCES,
    ROLLBACK_ALARMS,
    AlarmEvaluation,
    least_errors,
)
from sizewell.facts.durations import MINUTE_S
from sizewell.facts.endpoint_metrics import (
    component_dimensions,
    configuration_dimensions,
    queue_dimensions,
    variant_dimensions,
)
from sizewell.facts.metrics import Metric, MetricSum, MetricUnit

MICROSECONDS_PER_MILLISECOND = 1000

_WITHOUT_ACTION = ("HIPAA.Security-CloudWatchAlarmAction", "NIST.800.53.R5-CloudWatchAlarmAction")
#: Of these alarms the first that is there tells that no instance reports any more.
_SILENCE = (
    "max_memory_utilization_percent",
    "max_disk_utilization_percent",
    "max_average_cpu_utilization_percent",
)


@dataclass(frozen=True, kw_only=True)
class EndpointAlarmProps:
    """The variant to watch, or one inference component of it, its thresholds, and the topic to notify.

    ``vcpu_count`` and ``gpu_count`` are those of one instance; the CPU and GPU metrics sum over them, and thresholds of
    these metrics need them. ``alarm_topic_arn`` is notified when an alarm starts and when it ends; None where only a
    deployment reads them. ``evaluations`` are by the name of a threshold: which periods are looked at, where one of four hours
    for a share of the requests, three of five minutes for others, or ten of fifteen for what instances report, are not right.
    ``instances_report`` is False where there may be no instance, whose silence is then no sign. ``in_composite`` leaves it to a
    ``CompositeAlarm`` to tell people that they go off. ``endpoint_config_name`` narrows what a variant answers to the fleet of
    this configuration, and ``name_suffix`` ends the names of alarms beside those of the whole variant. Raises ValueError where a
    count is missing, and for an evaluation of what has no threshold.
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
    in_composite: bool = False
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
        for rule in ENDPOINT_ALARM_RULES:
            count = needed.get(rule.metric.summed_over)
            if getattr(self.thresholds, rule.threshold) is not None and count and getattr(self, count) == 0:
                raise ValueError(f"{rule.threshold} needs the {count} of the instance type, which is 0")


class EndpointAlarms(Construct):
    """One alarm for each threshold that is given.

    ``Unit`` is left out of the alarms on purpose: a unit that differs from the published one never matches a datum.
    """

    def __init__(self, scope: Construct, construct_id: str, *, props: EndpointAlarmProps) -> None:
        super().__init__(scope, construct_id)
        self._alarms: dict[str, cloudwatch.CfnAlarm] = {}
        thresholds = [
            rule.threshold
            for rule in ENDPOINT_ALARM_RULES
            if getattr(props.thresholds, rule.threshold) is not None
        ]
        self._silence = next((threshold for threshold in _SILENCE if threshold in thresholds), None)
        dimensions = {kind: _dimensions(pairs) for kind, pairs in _watched(props).items()}
        for rule in ENDPOINT_ALARM_RULES:
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
        rule: EndpointAlarmRule,
        limit: float,
        dimensions: list[cloudwatch.CfnAlarm.DimensionProperty],
        props: EndpointAlarmProps,
    ) -> cloudwatch.CfnAlarm:
        evaluation = props.evaluations.get(rule.threshold, rule.evaluation)
        topic_arns = None if props.alarm_topic_arn is None else [props.alarm_topic_arn]
        own_actions = None if props.in_composite else topic_arns
        # A fleet of which no instance reports any more: one of the alarms says so.
        silent_actions = topic_arns if rule.threshold == self._silence and props.instances_report else None
        share = _share_of(rule, limit, in_rollout=topic_arns is None)
        alarm = cloudwatch.CfnAlarm(
            self,
            rule.construct_id,
            alarm_name=_alarm_name(
                props.component_name or f"{props.endpoint_name}-{props.variant_name}", rule.construct_id
            )
            + props.name_suffix,
            alarm_description=with_first_look(_describe(rule, limit, props, evaluation), rule.name),
            **_read(rule, share, dimensions, evaluation.period_s),
            comparison_operator="LessThanThreshold" if rule.below else "GreaterThanThreshold",
            threshold=_in_metric_unit(rule.metric, limit, props)
            if share is None
            else rule.slow_percent or limit,
            evaluation_periods=evaluation.evaluation_periods,
            datapoints_to_alarm=evaluation.datapoints_to_alarm,
            # Data of requests exist only while there are any: no traffic is not an outage. Instances report every minute: silence
            # is unknown, neither good nor bad.
            treat_missing_data="missing"
            if rule.evaluation == OF_INSTANCES and props.instances_report
            else "notBreaching",
            alarm_actions=own_actions,
            ok_actions=own_actions,
            insufficient_data_actions=silent_actions,
        )
        if own_actions is None and silent_actions is None:
            acknowledge_all(
                alarm,
                _WITHOUT_ACTION,
                "A composite alarm reads it, and tells people."
                if props.in_composite
                else "SageMaker reads it during a deployment, and brings the old fleet back. People hear of the alarm on the "
                "variant.",
            )
        return alarm


def rollback_alarm_wildcards(watched: str, *, asynchronous: bool = False) -> tuple[str, ...]:
    """Return what the names of all alarms match that may call back a fleet: ``watched`` is ENDPOINT-VARIANT.

    Their names end with that of the fleet's configuration, which CloudFormation makes.
    """
    names = ASYNCHRONOUS_ROLLBACK_ALARMS if asynchronous else ROLLBACK_ALARMS
    ids = {rule.name: rule.construct_id for rule in ENDPOINT_ALARM_RULES}
    return tuple(f"{_alarm_name(watched, ids[name])}-*" for name in names)


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


def _read(
    rule: EndpointAlarmRule,
    share: Share | None,
    dimensions: list[cloudwatch.CfnAlarm.DimensionProperty],
    period_s: int,
) -> dict[str, Any]:
    """Return the properties of an alarm that say what it reads."""
    if share is None:
        return {
            "namespace": rule.metric.namespace,
            "metric_name": rule.metric_name,
            "dimensions": dimensions,
            "statistic": rule.statistic,
            "period": period_s,
        }
    return {
        "metrics": metric_queries(
            share,
            label=rule.construct_id,
            namespace=rule.metric.namespace,
            dimensions=dimensions,
            period_s=period_s,
        )
    }


def _share_of(rule: EndpointAlarmRule, limit: float, *, in_rollout: bool) -> Share | None:
    """Return the share of the requests that an alarm is on; None where it is on a metric as it is.

    Few requests reach a new fleet, so a deployment looks at each error.
    """
    if rule.slow_percent is not None:
        slow = limit * MICROSECONDS_PER_MILLISECOND
        return slow_share(rule.metric_name, slow, rule.slow_percent, in_rollout=in_rollout)
    if rule.below:
        return hit_share(rule.metric_name)
    if not rule.is_share:
        return None
    if in_rollout and rule.others is None:
        return error_share_of_new_fleet(rule.metric_name, less=rule.less)
    least = 1 if in_rollout else least_errors(limit)
    return error_share(rule.metric_name, least=least, less=rule.less, others=rule.others)


def _alarm_name(watched: str, construct_id: str) -> str:
    return f"{watched}-{construct_id}"


def _in_metric_unit(metric: Metric, limit: float, props: EndpointAlarmProps) -> float:
    """Convert a threshold in percent or milliseconds to the unit of the metric."""
    match metric.unit:
        case MetricUnit.NONE:
            return round(limit / 100, 9)  # 1.1 % is 0.011, not 0.011000000000000001
        case MetricUnit.MICROSECONDS:
            return limit * MICROSECONDS_PER_MILLISECOND
        case MetricUnit.COUNT | MetricUnit.SECONDS | MetricUnit.MILLISECONDS:
            return limit
        case MetricUnit.PERCENT:
            units = {
                MetricSum.INSTANCE: 1,
                MetricSum.VCPUS: props.vcpu_count,
                MetricSum.GPUS: props.gpu_count,
            }
            return limit * units[metric.summed_over]
        case MetricUnit.UNKNOWN:
            raise ValueError(f"the unit of {metric.name} is not known: look it up for metrics.csv")


_WORDS_OF_UNIT = {
    MetricUnit.NONE: " %",
    MetricUnit.PERCENT: " %",
    MetricUnit.MICROSECONDS: " ms",
    MetricUnit.SECONDS: " s",
    MetricUnit.MILLISECONDS: " ms",
    MetricUnit.COUNT: "",
}


def _describe(
    rule: EndpointAlarmRule, limit: float, props: EndpointAlarmProps, evaluation: AlarmEvaluation
) -> str:
    minutes = evaluation.period_s // MINUTE_S
    watched = f"variant {props.variant_name} of endpoint {props.endpoint_name}"
    if props.endpoint_config_name is not None and "configuration" in rule.metric.kinds:
        watched = f"one fleet of {watched}"
    if props.component_name is not None:
        watched = f"inference component {props.component_name}"
    when = (
        f"in {evaluation.datapoints_to_alarm} of {evaluation.evaluation_periods} "
        f"{'minutes' if minutes == 1 else f'periods of {minutes} minutes'}"
    )
    if rule.slow_percent is not None:
        slow = f"take longer than {limit:g} ms ({rule.metric_name})"
        return f"More than {rule.slow_percent} of 100 requests to {watched} {slow} {when}"
    metric = f"{rule.metric_name}{f' less {rule.less}' if rule.less else ''}"
    if rule.is_share or rule.below:
        return (
            f"{metric} of {watched} {'below' if rule.below else 'above'} {limit:g} % of the requests {when}"
        )
    return f"{rule.statistic} {metric} of {watched} above {limit:g}{_WORDS_OF_UNIT[rule.metric.unit]} {when}"
