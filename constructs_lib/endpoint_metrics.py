"""The CloudWatch metrics that a real-time endpoint on instances publishes.

An alarm on a misspelt namespace, metric or dimension deploys without an error and never fires, so every name stands
here once. Source of names, units, ranges and valid statistics: "Amazon SageMaker AI metrics in Amazon CloudWatch",
https://docs.aws.amazon.com/sagemaker/latest/dg/monitoring-cloudwatch.html. Asynchronous and serverless endpoints
publish different lists, and the ``...Normalized`` and ``...Reservation`` metrics exist only with inference components.
"""

import re
from dataclasses import dataclass
from enum import Enum

INVOCATION_NAMESPACE = "AWS/SageMaker"
INSTANCE_NAMESPACE = "/aws/sagemaker/Endpoints"

PERCENTILES = "Percentiles"
_PERCENTILE = re.compile(r"p(100|\d{1,2}(\.\d{1,10})?)")


class MetricUnit(Enum):
    """The unit of one datum; NONE marks counts and shares."""

    NONE = "None"
    MICROSECONDS = "Microseconds"
    PERCENT = "Percent"


class MetricSum(Enum):
    """What one datum is the sum over: four busy GPUs report 400 percent, a full disk reports 100."""

    INSTANCE = "instance"
    VCPUS = "vcpus"
    GPUS = "gpus"


@dataclass(frozen=True, kw_only=True)
class EndpointMetric:
    """One metric with the dimensions EndpointName and VariantName.

    ``statistics`` holds CloudWatch's own spelling (``SampleCount``), and ``Percentiles`` where any ``pNN`` is valid.
    """

    name: str
    namespace: str
    unit: MetricUnit
    statistics: tuple[str, ...]
    summed_over: MetricSum = MetricSum.INSTANCE

    def allows(self, statistic: str) -> bool:
        """Tell whether the metric can be read with this statistic, ``Average`` or ``p99`` for example."""
        if _PERCENTILE.fullmatch(statistic):
            return PERCENTILES in self.statistics
        return statistic in self.statistics


def variant_dimensions(endpoint_name: str, variant_name: str) -> tuple[tuple[str, str], ...]:
    """Return the (name, value) pairs that select one production variant; CloudWatch compares them case-sensitively."""
    return (("EndpointName", endpoint_name), ("VariantName", variant_name))


_ALL = ("Average", "Sum", "Minimum", "Maximum", "SampleCount")


def _count(name: str, *statistics: str) -> EndpointMetric:
    return EndpointMetric(
        name=name, namespace=INVOCATION_NAMESPACE, unit=MetricUnit.NONE, statistics=statistics
    )


def _latency(name: str, *statistics: str) -> EndpointMetric:
    return EndpointMetric(
        name=name, namespace=INVOCATION_NAMESPACE, unit=MetricUnit.MICROSECONDS, statistics=statistics
    )


def _utilization(name: str, summed_over: MetricSum = MetricSum.INSTANCE) -> EndpointMetric:
    # The page names no valid statistics for instance metrics: one datum per instance and minute allows the plain five.
    return EndpointMetric(
        name=name,
        namespace=INSTANCE_NAMESPACE,
        unit=MetricUnit.PERCENT,
        statistics=_ALL,
        summed_over=summed_over,
    )


INVOCATIONS = _count("Invocations", "Sum")
INVOCATIONS_PER_INSTANCE = _count("InvocationsPerInstance", "Sum")
CONCURRENT_REQUESTS_PER_MODEL = _count("ConcurrentRequestsPerModel", "Minimum", "Maximum")
# One datum per request, 1 for an error and 0 otherwise: the Average is the error rate.
INVOCATION_4XX_ERRORS = _count("Invocation4XXErrors", "Average", "Sum")
INVOCATION_5XX_ERRORS = _count("Invocation5XXErrors", "Average", "Sum")
INVOCATION_MODEL_ERRORS = _count("InvocationModelErrors", "Average", "Sum")
MODEL_LATENCY = _latency("ModelLatency", *_ALL, PERCENTILES)
OVERHEAD_LATENCY = _latency("OverheadLatency", *_ALL)
CPU_UTILIZATION = _utilization("CPUUtilization", MetricSum.VCPUS)
GPU_UTILIZATION = _utilization("GPUUtilization", MetricSum.GPUS)
GPU_MEMORY_UTILIZATION = _utilization("GPUMemoryUtilization", MetricSum.GPUS)
MEMORY_UTILIZATION = _utilization("MemoryUtilization")
DISK_UTILIZATION = _utilization("DiskUtilization")

ENDPOINT_METRICS = {
    metric.name: metric
    for metric in (
        INVOCATIONS,
        INVOCATIONS_PER_INSTANCE,
        CONCURRENT_REQUESTS_PER_MODEL,
        INVOCATION_4XX_ERRORS,
        INVOCATION_5XX_ERRORS,
        INVOCATION_MODEL_ERRORS,
        MODEL_LATENCY,
        OVERHEAD_LATENCY,
        CPU_UTILIZATION,
        GPU_UTILIZATION,
        GPU_MEMORY_UTILIZATION,
        MEMORY_UTILIZATION,
        DISK_UTILIZATION,
    )
}
"""Every metric of a real-time endpoint by its name."""
