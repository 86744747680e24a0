"""An alarm that goes off at one: of what must never happen."""

from dataclasses import dataclass

from aws_cdk import aws_cloudwatch as cloudwatch
from constructs import Construct

PERIOD_S = 300


@dataclass(frozen=True, kw_only=True)
class Count:
    """A metric that counts; ``dimension`` is a name and a value."""

    namespace: str
    metric_name: str
    statistic: str
    dimension: tuple[str, str]


def alarm_on_count(
    scope: Construct, construct_id: str, *, description: str, count: Count, alarm_topic_arn: str
) -> None:
    """Add the alarm; where nothing is counted, nothing has happened."""
    name, value = count.dimension
    cloudwatch.CfnAlarm(
        scope,
        construct_id,
        alarm_description=description,
        namespace=count.namespace,
        metric_name=count.metric_name,
        dimensions=[cloudwatch.CfnAlarm.DimensionProperty(name=name, value=value)],
        statistic=count.statistic,
        period=PERIOD_S,
        evaluation_periods=1,
        threshold=1,
        comparison_operator="GreaterThanOrEqualToThreshold",
        treat_missing_data="notBreaching",
        alarm_actions=[alarm_topic_arn],
    )
