"""What an alarm compares with.

https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html: a static alarm has a threshold, an
alarm on an anomaly band names the band instead. The schema requires neither, because either may be missing.
"""

from collections.abc import Iterator

from sizewell.checks.rule import Finding, Rule, fault
from sizewell.templates.template import Resource, Template
from sizewell.templates.values import count, is_given, maps, text

THRESHOLD = "alarm-threshold"
RULES: tuple[Rule, ...] = (
    Rule(
        THRESHOLD,
        "an alarm without a threshold, with both kinds, or with the kind that its operator does not use",
        "[PutMetricAlarm]("
        "https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html)",
    ),
)

ALARM = "AWS::CloudWatch::Alarm"
_BAND_OPERATORS = (
    "LessThanLowerOrGreaterThanUpperThreshold",
    "LessThanLowerThreshold",
    "GreaterThanUpperThreshold",
)


def check(template: Template) -> Iterator[Finding]:
    """Yield the faults of every alarm's threshold."""
    for alarm in template.of_type(ALARM):
        # Alarms on PromQL hold their threshold in the query.
        if "EvaluationCriteria" not in alarm.written:
            yield from _threshold(alarm)


def _threshold(alarm: Resource) -> Iterator[Finding]:
    properties = alarm.written
    operator = text(properties.get("ComparisonOperator"))
    is_band = operator in _BAND_OPERATORS
    if any(key in properties and not is_given(properties, key) for key in ("Threshold", "ThresholdMetricId")):
        return
    if "Threshold" not in properties and "ThresholdMetricId" not in properties:
        key = "ThresholdMetricId" if is_band else "Threshold"
        yield fault(alarm, THRESHOLD, key, f"the alarm has no {key}, so it compares with nothing", _give(key))
    elif is_given(properties, "Threshold") and is_given(properties, "ThresholdMetricId"):
        message = "Threshold and ThresholdMetricId are both given"
        remedy = "keep Threshold for a fixed limit, ThresholdMetricId for an anomaly band"
        yield fault(alarm, THRESHOLD, "Threshold", message, remedy)
    elif operator is not None and is_band is is_given(properties, "Threshold"):
        key = "ThresholdMetricId" if is_band else "Threshold"
        yield fault(alarm, THRESHOLD, key, f"ComparisonOperator {operator} needs {key}", _give(key))
    band, metrics = text(properties.get("ThresholdMetricId")), properties.get("Metrics")
    if band is not None and count(metrics) is not None:
        ids = [metric.get("Id") for _, metric in maps(metrics)]
        if all(isinstance(metric_id, str) for metric_id in ids) and band not in ids:
            message = f"ThresholdMetricId is {band}, but no metric of the alarm has that Id"
            yield fault(alarm, THRESHOLD, "ThresholdMetricId", message, _give("ThresholdMetricId"))


def _give(key: str) -> str:
    if key == "Threshold":
        return "give Threshold, in the unit of the metric"
    return "give ThresholdMetricId, the Id of the metric whose Expression is ANOMALY_DETECTION_BAND"
