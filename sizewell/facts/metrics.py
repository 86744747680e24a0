"""Which CloudWatch metrics AWS publishes of what we build, with their dimensions, units and valid statistics.

A misspelt namespace, metric or dimension deploys happily and never shows a datum, so every name stands once, in
``metrics.csv``, with the page that says so: its address, or its name below
https://docs.aws.amazon.com/sagemaker/latest/dg/ (read 2026-11-22; jobs, Lambda and Step Functions 2026-11-28). An empty unit is
one that nobody has looked up.
"""

import csv
import re
from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path

#: Names and values that select one time series.
Dimensions = tuple[tuple[str, str], ...]

TABLE = Path(__file__).with_name("metrics.csv")
TRAINING_NAMESPACE = "/aws/sagemaker/TrainingJobs"
PROCESSING_NAMESPACE = "/aws/sagemaker/ProcessingJobs"
TRANSFORM_NAMESPACE = "/aws/sagemaker/TransformJobs"
STATES_NAMESPACE = "AWS/States"
SNS_NAMESPACE = "AWS/SNS"
SQS_NAMESPACE = "AWS/SQS"
ECS_INSIGHTS_NAMESPACE = "ECS/ContainerInsights"

#: For each kind of metric the dimensions that select one time series; CloudWatch compares them letter by letter.
DIMENSIONS = {
    "endpoint": ("EndpointName",),
    "variant": ("EndpointName", "VariantName"),
    # One fleet of a variant, from its first request on (deployment-guardrails-configuration, "Monitor model latency on the new
    # fleet", which shows ModelLatency and says "the metrics"; no page shows a metric of asynchronous endpoints so).
    "configuration": ("EndpointName", "VariantName", "EndpointConfigName"),
    "component": ("InferenceComponentName",),
    # An instance of a job, JOB/algo-1 for example (monitoring-cloudwatch, "SageMaker AI job metrics").
    "host": ("Host",),
    "alias": ("FunctionName", "Resource"),
    "machine": ("StateMachineArn",),
    "queue": ("QueueName",),
    "topic": ("TopicName",),
    "service": ("ClusterName", "ServiceName"),
}

_PERCENTILES = "Percentiles"
#: Of the values themselves, as percentiles and percentile ranks are.
_PERCENTILE = re.compile(r"p(100|\d{1,2}(\.\d{1,10})?)|PR\([\d.]+:[\d.]+\)")


class MetricUnit(Enum):
    """The unit of one datum; NONE marks counts and shares of what answers at once."""

    NONE = "None"
    COUNT = "Count"
    SECONDS = "Seconds"
    MILLISECONDS = "Milliseconds"
    MICROSECONDS = "Microseconds"
    PERCENT = "Percent"
    UNKNOWN = ""


class MetricSum(Enum):
    """Over what one datum is summed up: four busy GPUs report 400 percent, a full disk reports 100."""

    INSTANCE = "instance"
    VCPUS = "vcpus"
    GPUS = "gpus"
    UNKNOWN = ""


class UnknownMetricError(LookupError):
    """No namespace has a metric of this name."""


@dataclass(frozen=True, kw_only=True)
class Metric:
    """One metric: ``kinds`` are keys of ``DIMENSIONS``.

    ``statistics`` holds CloudWatch's own spelling (``SampleCount``), ``Percentiles`` where any ``pNN`` or ``PR(n:m)`` is valid.
    The page names none for instance metrics: one datum per instance and minute allows the plain five.
    """

    namespace: str
    name: str
    kinds: tuple[str, ...]
    unit: MetricUnit
    statistics: tuple[str, ...]
    summed_over: MetricSum

    def allows(self, statistic: str) -> bool:
        """Tell whether the metric can be read with this statistic, ``Average`` or ``p99`` for example."""
        if _PERCENTILE.fullmatch(statistic):
            return _PERCENTILES in self.statistics
        return statistic in self.statistics

    def has_dimensions(self, names: Collection[str]) -> bool:
        """Tell whether these dimensions select one time series of it."""
        return any(set(DIMENSIONS[kind]) == set(names) for kind in self.kinds)


@cache
def metrics() -> dict[tuple[str, str], Metric]:
    """Return every metric by its namespace and name."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return {
            (row["namespace"], row["metric"]): Metric(
                namespace=row["namespace"],
                name=row["metric"],
                kinds=_items(row["kinds"]),
                unit=MetricUnit(row["unit"]),
                statistics=_items(row["statistics"]),
                summed_over=MetricSum(row["summed_over"]),
            )
            for row in csv.DictReader(file)
        }


def metric(namespace: str, name: str) -> Metric:
    """Return a metric. Raises ``UnknownMetricError``."""
    try:
        return metrics()[namespace, name]
    except KeyError:
        raise UnknownMetricError(
            f"{namespace} has no metric {name}: metrics.csv lists those that there are"
        ) from None


def sqs_dimensions(queue_name: str) -> Dimensions:
    """Return what selects the metrics of a queue of Amazon SQS."""
    return tuple(zip(DIMENSIONS["queue"], (queue_name,), strict=True))


def topic_dimensions(topic_name: str) -> Dimensions:
    """Return what selects the metrics of a topic of Amazon SNS."""
    return tuple(zip(DIMENSIONS["topic"], (topic_name,), strict=True))


def service_dimensions(cluster_name: str, service_name: str) -> Dimensions:
    """Return what selects the metrics of a service of Amazon ECS."""
    return tuple(zip(DIMENSIONS["service"], (cluster_name, service_name), strict=True))


def machine_dimensions(state_machine_arn: str) -> Dimensions:
    """Return the (name, value) pairs that select the executions of one state machine."""
    return tuple(zip(DIMENSIONS["machine"], (state_machine_arn,), strict=True))


def _items(cell: str) -> tuple[str, ...]:
    return tuple(cell.split(";")) if cell else ()
