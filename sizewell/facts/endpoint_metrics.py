"""Which CloudWatch metrics endpoints publish, with their dimensions, units and valid statistics.

A misspelt namespace, metric or dimension deploys happily and never fires, so every name stands once, in
``endpoint_metrics.csv``, with the page of https://docs.aws.amazon.com/sagemaker/latest/dg/ that says so (read
2026-11-22). An empty unit is one that nobody has looked up.
"""

import csv
import re
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_name("endpoint_metrics.csv")
INVOCATION_NAMESPACE = "AWS/SageMaker"
INSTANCE_NAMESPACE = "/aws/sagemaker/Endpoints"

#: For each kind of metric the dimensions that select one time series; CloudWatch compares them letter by letter.
DIMENSIONS = {
    "endpoint": ("EndpointName",),
    "variant": ("EndpointName", "VariantName"),
    # One fleet of a variant, from its first request on (deployment-guardrails-configuration, "Monitor model latency on the new
    # fleet", which shows ModelLatency and says "the metrics"; no page shows a metric of asynchronous endpoints so).
    "configuration": ("EndpointName", "VariantName", "EndpointConfigName"),
    "component": ("InferenceComponentName",),
}
#: Dimensions of the finer metrics: of containers, and the enhanced ones of instances and accelerators
#: (monitoring-cloudwatch-enhanced-metrics).
FINER_DIMENSIONS = frozenset({"ContainerName", "InstanceId", "ContainerId", "AcceleratorId"})
#: An asynchronous endpoint does not publish these (async-inference-monitor).
NOT_ASYNCHRONOUS = ("Invocations", "InvocationsPerInstance", "OverheadLatency")
#: All that a serverless endpoint publishes: any metric that is not listed is not (serverless-endpoints-monitoring, which calls
#: the two of errors Invocations4XXErrors and Invocations5XXErrors, and refers to monitoring-cloudwatch for them).
OF_SERVERLESS = frozenset(
    {
        "Invocation4XXErrors",
        "Invocation5XXErrors",
        "Invocations",
        "MemoryUtilization",
        "ModelLatency",
        "ModelSetupTime",
        "OverheadLatency",
        "ServerlessConcurrentExecutionsUtilization",
        "ServerlessProvisionedConcurrencyExecutions",
        "ServerlessProvisionedConcurrencyInvocations",
        "ServerlessProvisionedConcurrencySpilloverInvocations",
        "ServerlessProvisionedConcurrencyUtilization",
    }
)

_PERCENTILES = "Percentiles"
_PERCENTILE = re.compile(r"p(100|\d{1,2}(\.\d{1,10})?)")


class MetricUnit(Enum):
    """The unit of one datum; NONE marks counts and shares of what answers at once."""

    NONE = "None"
    COUNT = "Count"
    SECONDS = "Seconds"
    MICROSECONDS = "Microseconds"
    PERCENT = "Percent"
    UNKNOWN = ""


class MetricSum(Enum):
    """Over what one datum is summed up: four busy GPUs report 400 percent, a full disk reports 100."""

    INSTANCE = "instance"
    VCPUS = "vcpus"
    GPUS = "gpus"
    UNKNOWN = ""


@dataclass(frozen=True, kw_only=True)
class EndpointMetric:
    """One metric, of an endpoint, a variant or an inference component: ``kinds`` are keys of ``DIMENSIONS``.

    ``statistics`` holds CloudWatch's own spelling (``SampleCount``), and ``Percentiles`` where any ``pNN`` is valid.
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


@cache
def endpoint_metrics() -> dict[str, EndpointMetric]:
    """Return every metric by its name."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return {
            row["metric"]: EndpointMetric(
                namespace=row["namespace"],
                name=row["metric"],
                kinds=_items(row["kinds"]),
                unit=MetricUnit(row["unit"]),
                statistics=_items(row["statistics"]),
                summed_over=MetricSum(row["summed_over"]),
            )
            for row in csv.DictReader(file)
        }


def variant_dimensions(endpoint_name: str, variant_name: str) -> tuple[tuple[str, str], ...]:
    """Return the (name, value) pairs that select one production variant."""
    return tuple(zip(DIMENSIONS["variant"], (endpoint_name, variant_name), strict=True))


def configuration_dimensions(
    endpoint_name: str, variant_name: str, endpoint_config_name: str
) -> tuple[tuple[str, str], ...]:
    """Return the (name, value) pairs that select the fleet of a variant that has one endpoint configuration, and no other."""
    values = (endpoint_name, variant_name, endpoint_config_name)
    return tuple(zip(DIMENSIONS["configuration"], values, strict=True))


def queue_dimensions(endpoint_name: str) -> tuple[tuple[str, str], ...]:
    """Return the (name, value) pairs that select the queue of an asynchronous endpoint, which all its variants share."""
    return tuple(zip(DIMENSIONS["endpoint"], (endpoint_name,), strict=True))


def component_dimensions(component_name: str) -> tuple[tuple[str, str], ...]:
    """Return the (name, value) pairs that select one inference component: its name is its own in the account and region."""
    return tuple(zip(DIMENSIONS["component"], (component_name,), strict=True))


def _items(cell: str) -> tuple[str, ...]:
    return tuple(cell.split(";")) if cell else ()
