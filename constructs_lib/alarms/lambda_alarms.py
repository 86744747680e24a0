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

from constructs_lib.policies.acknowledgements import acknowledge_all
from sizewell.facts.alarms import AlarmEvaluation, least_errors
from sizewell.facts.lambda_functions import NAMESPACE, alias_dimensions

_UNITS = {"error_rate": " %", "duration_p95": " ms", "duration_p99": " ms"}
#: Metric and statistic of each alarm; an error rate is of two metrics.
_METRICS = {
    "throttles": ("Throttles", "Sum"),
    "duration_p95": ("Duration", "p95"),
    "duration_p99": ("Duration", "p99"),
    "concurrency_utilization": ("ConcurrentExecutions", "Maximum"),
    "provisioned_concurrency_spillover": ("ProvisionedConcurrencySpilloverInvocations", "Sum"),
}


@dataclass(frozen=True, kw_only=True)
class LambdaAlarm:
    """The largest healthy value, and which periods are looked at.

    ``threshold`` is in percent of the invocations or of ``max_concurrency`` for ``error_rate`` and ``concurrency_utilization``,
    in milliseconds for a duration, else a number of requests in a period.
    """

    threshold: float
    evaluation: AlarmEvaluation


@dataclass(frozen=True, kw_only=True)
class LambdaAlarmsProps:
    """``alarms`` by name: ``error_rate``, ``throttles``, ``duration_p95``, ``duration_p99``, ``concurrency_utilization`` and
    ``provisioned_concurrency_spillover``. ``executed_version`` is a version that answers behind the alias, whose alarms have
    ``name_suffix`` behind their names; None is the alias with all of its versions. ``alarm_topic_arn`` is None where only a
    deployment reads them. Raises ValueError for another name."""

    function_name: str
    max_concurrency: int
    alarms: Mapping[str, LambdaAlarm]
    alarm_topic_arn: str | None
    executed_version: str | None = None
    name_suffix: str = ""

    def __post_init__(self) -> None:
        """Check the names."""
        if unknown := self.alarms.keys() - {"error_rate", *_METRICS}:
            raise ValueError(
                f"there is no alarm {', '.join(sorted(unknown))}, but error_rate, {', '.join(_METRICS)}"
            )


class LambdaAlarms(Construct):
    """One alarm for each that is given, on what the alias alone publishes."""

    alarms: list[cloudwatch.CfnAlarm]

    def __init__(self, scope: Construct, construct_id: str, *, props: LambdaAlarmsProps) -> None:
        super().__init__(scope, construct_id)
        self.alarms = [self._add(name, alarm, props) for name, alarm in props.alarms.items()]

    def _add(self, name: str, alarm: LambdaAlarm, props: LambdaAlarmsProps) -> cloudwatch.CfnAlarm:
        noun = name.title().replace("_", "")
        of_concurrency = name == "concurrency_utilization"
        threshold = alarm.threshold
        if of_concurrency:
            threshold = round(threshold * props.max_concurrency / 100, 9)
        period_s = alarm.evaluation.period_s
        if name == "error_rate":
            watched: dict[str, Any] = {"metrics": _error_rate(props, period_s, threshold)}
        else:
            metric_name, statistic = _METRICS[name]
            kind = "extended_statistic" if statistic.startswith("p") else "statistic"
            watched = {
                "namespace": NAMESPACE,
                "metric_name": metric_name,
                "dimensions": _dimensions(props),
                kind: statistic,
                "period": period_s,
            }
        topic_arns = None if props.alarm_topic_arn is None else [props.alarm_topic_arn]
        made = cloudwatch.CfnAlarm(
            self,
            noun,
            alarm_name=f"{props.function_name}-{noun}{props.name_suffix}",
            alarm_description=f"{noun} of {'function' if props.executed_version is None else 'one version of'} "
            f"{props.function_name} above {threshold:g}{_UNITS.get(name, '')}",
            **watched,
            evaluate_low_sample_count_percentile="ignore" if alarm.evaluation.ignores_few_samples else None,
            comparison_operator="GreaterThanThreshold",
            threshold=threshold,
            evaluation_periods=alarm.evaluation.evaluation_periods,
            datapoints_to_alarm=alarm.evaluation.datapoints_to_alarm,
            treat_missing_data="notBreaching",
            alarm_actions=topic_arns,
            ok_actions=topic_arns,
        )
        if topic_arns is None:
            acknowledge_all(
                made,
                ["HIPAA.Security-CloudWatchAlarmAction", "NIST.800.53.R5-CloudWatchAlarmAction"],
                "CodeDeploy reads it during a deployment, and brings the old version back. People hear of the alias.",
            )
        return made


def _dimensions(props: LambdaAlarmsProps) -> list[cloudwatch.CfnAlarm.DimensionProperty]:
    return [
        cloudwatch.CfnAlarm.DimensionProperty(name=name, value=value)
        for name, value in alias_dimensions(props.function_name, props.executed_version)
    ]


def _error_rate(
    props: LambdaAlarmsProps, period_s: int, threshold: float
) -> list[cloudwatch.CfnAlarm.MetricDataQueryProperty]:
    """Return Errors in percent of Invocations, as the page of the metrics has it."""
    read = {"errors": "Errors", "invocations": "Invocations"}
    expression = "100 * errors / invocations"
    if props.executed_version is None:
        expression = f"IF(errors >= {least_errors(threshold)}, {expression}, 0)"
    return [
        cloudwatch.CfnAlarm.MetricDataQueryProperty(
            id="error_rate", expression=expression, label="ErrorRate", return_data=True
        ),
        *(
            cloudwatch.CfnAlarm.MetricDataQueryProperty(
                id=query_id,
                metric_stat=cloudwatch.CfnAlarm.MetricStatProperty(
                    metric=cloudwatch.CfnAlarm.MetricProperty(
                        namespace=NAMESPACE, metric_name=name, dimensions=_dimensions(props)
                    ),
                    period=period_s,
                    stat="Sum",
                ),
                return_data=False,
            )
            for query_id, name in read.items()
        ),
    ]
