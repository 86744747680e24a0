"""CloudWatch alarms on what a target group of an Application Load Balancer answers.

Metrics, units and dimensions: "CloudWatch metrics for your Application Load Balancer",
https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-cloudwatch-metrics.html. Nothing is published
while nobody asks.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from aws_cdk import CfnResource
from aws_cdk import aws_cloudwatch as cloudwatch
from constructs import Construct

from constructs_lib.alarms.alarm_limit import AlarmLimit
from constructs_lib.alarms.first_look import with_first_look
from constructs_lib.alarms.shares import Share, error_share, metric_queries, slow_share
from constructs_lib.policies.acknowledgements import acknowledge_all
from sizewell.facts.alarms import SLOW_PERCENT, least_errors
from sizewell.facts.durations import MINUTE_S

_NAMESPACE = "AWS/ApplicationELB"
_ERRORS = "model_error_rate"
_MILLISECONDS_PER_SECOND = 1000
#: Ours: a task that is replaced after a fault is back by then, if another one answers meanwhile.
_OUTAGE_MINUTES = 3


@dataclass(frozen=True, kw_only=True)
class TargetGroupAlarmsProps:
    """The target group, its load balancer, and the alarms by name: ``model_error_rate`` and those of ``SLOW_PERCENT``.

    Limits are in percent of the requests, or in milliseconds.

    ``alarm_topic_arn`` is notified when an alarm starts and when it ends; None where only a deployment reads them, which looks at
    each error. ``name_suffix`` ends the names of alarms beside others. Raises ValueError for another name.
    """

    service_name: str
    load_balancer_full_name: str
    target_group_full_name: str
    alarms: Mapping[str, AlarmLimit]
    alarm_topic_arn: str | None
    name_suffix: str = ""

    def __post_init__(self) -> None:
        """Check the names."""
        known = (_ERRORS, *SLOW_PERCENT)
        if unknown := self.alarms.keys() - {*known}:
            raise ValueError(f"there is no alarm {', '.join(sorted(unknown))}, but {', '.join(known)}")


class TargetGroupAlarms(Construct):
    """One alarm for each that is given."""

    alarms: list[cloudwatch.CfnAlarm]

    def __init__(self, scope: Construct, construct_id: str, *, props: TargetGroupAlarmsProps) -> None:
        super().__init__(scope, construct_id)
        self._props = props
        self.alarms = [self._add(name, alarm, props) for name, alarm in props.alarms.items()]

    @property
    def alarm_names(self) -> list[str]:
        """The names (tokens) of all of them."""
        return [alarm.ref for alarm in self.alarms]

    def tell_of_outage(self, service: CfnResource) -> None:
        """Add the alarm on targets of which none is healthy: no request reaches one, and no other alarm counts it.

        It comes after the ``service``, which has healthy targets once it is made.
        """
        props = self._props
        assert props.alarm_topic_arn is not None, "people hear of it"
        alarm = cloudwatch.CfnAlarm(
            self,
            "NoHealthyTarget",
            alarm_name=f"{props.service_name}-NoHealthyTarget",
            alarm_description=f"No task of the service {props.service_name} is healthy for {_OUTAGE_MINUTES} minutes. "
            "Look first at the events of the service: tasks that end, or for which there is no capacity.",
            namespace=_NAMESPACE,
            metric_name="HealthyHostCount",
            dimensions=_dimensions(props),
            statistic="Maximum",
            period=MINUTE_S,
            evaluation_periods=_OUTAGE_MINUTES,
            threshold=1,
            comparison_operator="LessThanThreshold",
            # Without a target there is no count.
            treat_missing_data="breaching",
            alarm_actions=[props.alarm_topic_arn],
            ok_actions=[props.alarm_topic_arn],
        )
        alarm.add_resource_dependency(service)

    def _add(self, name: str, alarm: AlarmLimit, props: TargetGroupAlarmsProps) -> cloudwatch.CfnAlarm:
        noun = name.title().replace("_", "")
        in_rollout = props.alarm_topic_arn is None
        actions = None if props.alarm_topic_arn is None else [props.alarm_topic_arn]
        made = cloudwatch.CfnAlarm(
            self,
            noun,
            alarm_name=f"{props.service_name}-{noun}{props.name_suffix}",
            alarm_description=with_first_look(_describe(name, alarm.threshold, props), name),
            metrics=metric_queries(
                _share(name, alarm.threshold, in_rollout=in_rollout),
                label=noun,
                namespace=_NAMESPACE,
                dimensions=_dimensions(props),
                period_s=alarm.evaluation.period_s,
            ),
            comparison_operator="GreaterThanThreshold",
            threshold=SLOW_PERCENT.get(name, alarm.threshold),
            evaluation_periods=alarm.evaluation.evaluation_periods,
            datapoints_to_alarm=alarm.evaluation.datapoints_to_alarm,
            treat_missing_data="notBreaching",
            alarm_actions=actions,
            ok_actions=actions,
        )
        if in_rollout:
            acknowledge_all(
                made,
                ["HIPAA.Security-CloudWatchAlarmAction", "NIST.800.53.R5-CloudWatchAlarmAction"],
                "ECS reads it during a deployment, and brings the old tasks back. People hear of the other alarms.",
            )
        return made


def _dimensions(props: TargetGroupAlarmsProps) -> list[cloudwatch.CfnAlarm.DimensionProperty]:
    names = {
        "LoadBalancer": props.load_balancer_full_name,
        "TargetGroup": props.target_group_full_name,
    }
    return [cloudwatch.CfnAlarm.DimensionProperty(name=name, value=value) for name, value in names.items()]


def _share(name: str, threshold: float, *, in_rollout: bool) -> Share:
    if name in SLOW_PERCENT:
        seconds = threshold / _MILLISECONDS_PER_SECOND
        return slow_share("TargetResponseTime", seconds, SLOW_PERCENT[name], in_rollout=in_rollout)
    # The counts are published only where they are not zero.
    return error_share("HTTPCode_Target_5XX_Count", least=least_errors(threshold), requests="RequestCount")


def _describe(name: str, threshold: float, props: TargetGroupAlarmsProps) -> str:
    watched = f"the service {props.service_name}"
    if name in SLOW_PERCENT:
        return (
            f"More than {SLOW_PERCENT[name]} of 100 requests to {watched} take longer than {threshold:g} ms"
        )
    return f"Answers 5XX of {watched} above {threshold:g} % of the requests"
