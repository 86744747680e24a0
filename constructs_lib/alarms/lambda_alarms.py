"""CloudWatch alarms on the alias of a Lambda function, or on one version behind it.

Metrics and units: "Types of metrics for Lambda functions",
https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html; that concurrency is published of aliases, too:
"Monitoring concurrency", https://docs.aws.amazon.com/lambda/latest/dg/monitoring-concurrency.html. Nothing is published while
nobody asks.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aws_cdk import aws_cloudwatch as cloudwatch
from constructs import Construct

from constructs_lib.alarms.first_look import with_first_look
from constructs_lib.alarms.shares import Share, error_share, metric_queries, slow_share
from constructs_lib.policies.acknowledgements import acknowledge_all
from sizewell.facts.alarms import SLOW_PERCENT, AlarmEvaluation, least_errors
from sizewell.facts.lambda_functions import NAMESPACE, alias_dimensions

#: Alarms on a share of the invocations.
_SHARES = ("error_rate", "throttles", "duration_p95", "duration_p99")
#: Metric and statistic of each other alarm.
_METRICS = {
    "concurrency_utilization": ("ConcurrentExecutions", "Maximum"),
    "provisioned_concurrency_spillover": ("ProvisionedConcurrencySpilloverInvocations", "Sum"),
}


@dataclass(frozen=True, kw_only=True)
class LambdaAlarm:
    """The largest healthy value, and which periods are looked at.

    ``threshold`` is in percent of the invocations or of ``max_concurrency`` for ``error_rate``, ``throttles`` and
    ``concurrency_utilization``, in milliseconds for a duration, else a number of requests in a period.
    """

    threshold: float
    evaluation: AlarmEvaluation


@dataclass(frozen=True, kw_only=True)
class LambdaAlarmsProps:
    """The alarms of an alias, or of one version behind it.

    ``alarms`` are by name: ``error_rate``, ``throttles``, ``duration_p95``, ``duration_p99``, ``concurrency_utilization`` and
    ``provisioned_concurrency_spillover``. ``executed_version`` is a version that answers behind the alias, whose alarms have
    ``name_suffix`` behind their names; None is the alias with all of its versions. ``alarm_topic_arn`` is None where only a
    deployment reads them. ``in_composite`` leaves it to a ``CompositeAlarm`` to tell people that they go off. Raises ValueError
    for another name.
    """

    function_name: str
    max_concurrency: int
    alarms: Mapping[str, LambdaAlarm]
    alarm_topic_arn: str | None
    in_composite: bool = False
    executed_version: str | None = None
    name_suffix: str = ""

    def __post_init__(self) -> None:
        """Check the names."""
        known = (*_SHARES, *_METRICS)
        if unknown := self.alarms.keys() - {*known}:
            raise ValueError(f"there is no alarm {', '.join(sorted(unknown))}, but {', '.join(known)}")


class LambdaAlarms(Construct):
    """One alarm for each that is given, on what the alias alone publishes."""

    alarms: list[cloudwatch.CfnAlarm]

    def __init__(self, scope: Construct, construct_id: str, *, props: LambdaAlarmsProps) -> None:
        super().__init__(scope, construct_id)
        self.alarms = [self._add(name, alarm, props) for name, alarm in props.alarms.items()]

    @property
    def alarm_names(self) -> list[str]:
        """The names (tokens) of all of them."""
        return [alarm.ref for alarm in self.alarms]

    def _add(self, name: str, alarm: LambdaAlarm, props: LambdaAlarmsProps) -> cloudwatch.CfnAlarm:
        noun = name.title().replace("_", "")
        of_concurrency = name == "concurrency_utilization"
        threshold = alarm.threshold
        if of_concurrency:
            threshold = round(threshold * props.max_concurrency / 100, 9)
        period_s = alarm.evaluation.period_s
        if name in _SHARES:
            watched: dict[str, Any] = {
                "metrics": metric_queries(
                    _share(name, threshold, in_rollout=props.executed_version is not None),
                    label=noun,
                    namespace=NAMESPACE,
                    dimensions=_dimensions(props),
                    period_s=period_s,
                )
            }
        else:
            metric_name, statistic = _METRICS[name]
            watched = {
                "namespace": NAMESPACE,
                "metric_name": metric_name,
                "dimensions": _dimensions(props),
                "statistic": statistic,
                "period": period_s,
            }
        topic_arns = None if props.alarm_topic_arn is None else [props.alarm_topic_arn]
        own_actions = None if props.in_composite else topic_arns
        made = cloudwatch.CfnAlarm(
            self,
            noun,
            alarm_name=f"{props.function_name}-{noun}{props.name_suffix}",
            alarm_description=with_first_look(_describe(name, threshold, props), name),
            **watched,
            comparison_operator="GreaterThanThreshold",
            threshold=SLOW_PERCENT.get(name, threshold),
            evaluation_periods=alarm.evaluation.evaluation_periods,
            datapoints_to_alarm=alarm.evaluation.datapoints_to_alarm,
            treat_missing_data="notBreaching",
            alarm_actions=own_actions,
            ok_actions=own_actions,
        )
        if own_actions is None:
            acknowledge_all(
                made,
                ["HIPAA.Security-CloudWatchAlarmAction", "NIST.800.53.R5-CloudWatchAlarmAction"],
                "A composite alarm reads it, and tells people."
                if props.in_composite
                else "CodeDeploy reads it during a deployment, and brings the old version back. People hear of the alias.",
            )
        return made


def _describe(name: str, threshold: float, props: LambdaAlarmsProps) -> str:
    watched = f"{'function' if props.executed_version is None else 'one version of'} {props.function_name}"
    if name in SLOW_PERCENT:
        return (
            f"More than {SLOW_PERCENT[name]} of 100 requests to {watched} take longer than {threshold:g} ms"
        )
    percent = " % of the requests" if name in _SHARES else ""
    return f"{name.title().replace('_', '')} of {watched} above {threshold:g}{percent}"


def _dimensions(props: LambdaAlarmsProps) -> list[cloudwatch.CfnAlarm.DimensionProperty]:
    return [
        cloudwatch.CfnAlarm.DimensionProperty(name=name, value=value)
        for name, value in alias_dimensions(props.function_name, props.executed_version)
    ]


def _share(name: str, threshold: float, *, in_rollout: bool) -> Share:
    """Return the share of the invocations that an alarm is on; of a new version each error counts."""
    if name in SLOW_PERCENT:
        return slow_share("Duration", threshold, SLOW_PERCENT[name], in_rollout=in_rollout)
    least = 1 if in_rollout else least_errors(threshold)
    if name == "throttles":
        return error_share("Throttles", least=least, others="Invocations")
    return error_share("Errors", least=least)
