"""Alarms, as CloudWatch describes them."""

from tests.integration.readers.common import ClientFactory, Properties, picked, user_tags

MEMBERS = (
    "AlarmActions",
    "AlarmDescription",
    "AlarmName",
    "ComparisonOperator",
    "DatapointsToAlarm",
    "Dimensions",
    "EvaluateLowSampleCountPercentile",
    "EvaluationPeriods",
    "ExtendedStatistic",
    "InsufficientDataActions",
    "MetricName",
    "Metrics",
    "Namespace",
    "OKActions",
    "Period",
    "Statistic",
    "Threshold",
    "ThresholdMetricId",
    "TreatMissingData",
    "Unit",
)


def read_alarm(client: ClientFactory, physical_id: str, properties: Properties) -> Properties:
    api = client("cloudwatch")
    (found,) = api.describe_alarms(AlarmNames=[physical_id])["MetricAlarms"]
    tags = api.list_tags_for_resource(ResourceARN=found["AlarmArn"])["Tags"]
    return picked(found, *MEMBERS) | {"Tags": user_tags(tags)}
