"""Faults of alarms."""

from typing import Any

from sizewell.facts.endpoint_metrics import OF_SERVERLESS
from tests.checks.builders import alarm, config, dimensions, endpoint, get_att, serverless_variant, template
from tests.checks.fault_collection import fault

GIVE_THRESHOLD = "give Threshold, in the unit of the metric"
GIVE_BAND = "give ThresholdMetricId, the Id of the metric whose Expression is ANOMALY_DETECTION_BAND"
BAND_METRICS: list[Any] = [
    {
        "Id": "m",
        "MetricStat": {"Metric": {"Namespace": "AWS/SQS", "MetricName": "X"}, "Period": 60, "Stat": "Sum"},
    },
    {"Id": "band", "Expression": "ANOMALY_DETECTION_BAND(m, 2)"},
]
BAND = {
    "ComparisonOperator": "GreaterThanUpperThreshold",
    "Metrics": BAND_METRICS,
    **dict.fromkeys(("Namespace", "MetricName", "Dimensions", "Statistic", "Period", "Threshold")),
}


def threshold_fault(name: str, key: str, message: str, remedy: str, **changes: Any) -> None:
    faulty = template(Alarm=alarm(**changes))
    fault(name, faulty, "alarm-threshold", "Alarm", key, message, remedy)


threshold_fault(
    "an alarm without a threshold",
    "Threshold",
    "the alarm has no Threshold, so it compares with nothing",
    GIVE_THRESHOLD,
    Threshold=None,
)
threshold_fault(
    "a band without its metric",
    "ThresholdMetricId",
    "the alarm has no ThresholdMetricId, so it compares with nothing",
    GIVE_BAND,
    **BAND,
)
threshold_fault(
    "a band with a fixed limit",
    "ThresholdMetricId",
    "ComparisonOperator GreaterThanUpperThreshold needs ThresholdMetricId",
    GIVE_BAND,
    **BAND | {"Threshold": 1},
)
threshold_fault(
    "a fixed limit without its number",
    "Threshold",
    "ComparisonOperator GreaterThanThreshold needs Threshold",
    GIVE_THRESHOLD,
    **BAND | {"ComparisonOperator": "GreaterThanThreshold", "ThresholdMetricId": "band"},
)
threshold_fault(
    "both kinds of threshold",
    "Threshold",
    "Threshold and ThresholdMetricId are both given",
    "keep Threshold for a fixed limit, ThresholdMetricId for an anomaly band",
    **BAND | {"Threshold": 1, "ThresholdMetricId": "band"},
)
threshold_fault(
    "a band that is not there",
    "ThresholdMetricId",
    "ThresholdMetricId is bant, but no metric of the alarm has that Id",
    GIVE_BAND,
    **BAND | {"ThresholdMetricId": "bant"},
)


def metric_fault(name: str, rule_id: str, key: str, message: str, remedy: str, **changes: Any) -> None:
    fault(name, template(Alarm=alarm(**changes)), rule_id, "Alarm", key, message, remedy)


metric_fault(
    "a misspelt dimension",
    "alarm-dimensions",
    "Dimensions",
    "CPUUtilization has the dimensions EndpointName and VariantName, given: EndpointName, Variantname",
    "name EndpointName and VariantName; every letter counts",
    Namespace="/aws/sagemaker/Endpoints",
    MetricName="CPUUtilization",
    Dimensions=dimensions(EndpointName="demo", Variantname="primary"),
)
metric_fault(
    "a missing dimension",
    "alarm-dimensions",
    "Dimensions",
    "ConcurrentRequestsPerModel has the dimensions EndpointName and VariantName, given: EndpointName",
    "name EndpointName and VariantName; every letter counts",
    MetricName="ConcurrentRequestsPerModel",
    Dimensions=dimensions(EndpointName="demo"),
)
metric_fault(
    "no dimensions at all",
    "alarm-dimensions",
    "Dimensions",
    "Invocations has the dimensions EndpointName and VariantName or InferenceComponentName, given: none",
    "name EndpointName and VariantName or InferenceComponentName; every letter counts",
    Dimensions=None,
)
metric_fault(
    "one dimension too many",
    "alarm-dimensions",
    "Dimensions",
    "ApproximateBacklogSizePerInstance has the dimensions EndpointName, given: EndpointName, VariantName",
    "name EndpointName; every letter counts",
    MetricName="ApproximateBacklogSizePerInstance",
)
metric_fault(
    "a misspelt namespace",
    "alarm-metric",
    "Namespace",
    "nothing is published in the namespace AWS/Sagemaker",
    "write AWS/SageMaker",
    Namespace="AWS/Sagemaker",
)
metric_fault(
    "the other namespace",
    "alarm-metric",
    "Namespace",
    "GPUUtilization is not published in AWS/SageMaker",
    "write /aws/sagemaker/Endpoints",
    MetricName="GPUUtilization",
)
metric_fault(
    "a misspelt metric in a query",
    "alarm-metric",
    "Metrics.0.MetricStat.Metric.MetricName",
    "endpoints publish no metric Invocation5xxErrors",
    "did you mean Invocation5XXErrors?",
    **dict.fromkeys(("Namespace", "MetricName", "Dimensions", "Statistic", "Period")),
    Metrics=[
        {
            "Id": "m",
            "MetricStat": {"Metric": {"Namespace": "AWS/SageMaker", "MetricName": "Invocation5xxErrors"}},
        }
    ],
)
fault(
    "an alarm on a variant that is not there",
    template(
        Config=config(),
        Endpoint=endpoint(),
        Alarm=alarm(
            Dimensions=dimensions(EndpointName=get_att("Endpoint", "EndpointName"), VariantName="AllTraffic")
        ),
    ),
    "alarm-dimensions",
    "Alarm",
    "Dimensions",
    "the endpoint has no variant AllTraffic",
    "write primary",
)
fault(
    "an alarm on what a serverless endpoint does not publish",
    template(
        Config=config(serverless_variant()),
        Endpoint=endpoint(),
        Alarm=alarm(MetricName="InvocationModelErrors"),
    ),
    "alarm-metric",
    "Alarm",
    "MetricName",
    "a serverless endpoint does not publish InvocationModelErrors",
    f"watch one of {', '.join(sorted(OF_SERVERLESS))}",
)
fault(
    "an alarm on what an asynchronous endpoint does not publish",
    template(Config=config(AsyncInferenceConfig={"OutputConfig": {}}), Endpoint=endpoint(), Alarm=alarm()),
    "alarm-metric",
    "Alarm",
    "MetricName",
    "an asynchronous endpoint does not publish Invocations",
    "watch ApproximateBacklogSizePerInstance, with the dimension EndpointName",
)
