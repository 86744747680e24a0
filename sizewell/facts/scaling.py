"""What Application Auto Scaling scales of an endpoint, by which metrics, and the switch of our stacks.

https://docs.aws.amazon.com/autoscaling/application/APIReference/API_PredefinedMetricSpecification.html, read 2026-11-22
"""

from dataclasses import dataclass
from enum import StrEnum

SERVICE_NAMESPACE = "sagemaker"
INSTANCE_COUNT = "sagemaker:variant:DesiredInstanceCount"
PROVISIONED_CONCURRENCY = "sagemaker:variant:DesiredProvisionedConcurrency"
COPY_COUNT = "sagemaker:inference-component:DesiredCopyCount"

#: Alarms that Application Auto Scaling makes for a policy: one to scale out and one to scale in
#: (https://docs.aws.amazon.com/autoscaling/application/APIReference/API_PutScalingPolicy.html).
ALARMS_OF_TARGET_TRACKING = 2

#: Ours: the stack parameter on which every target and policy depends, and its two values.
AUTOSCALING_PARAMETER = "Autoscaling"
ON = "on"
OFF = "off"

INVOCATIONS_PER_INSTANCE = "SageMakerVariantInvocationsPerInstance"
HIGH_RESOLUTION_CONCURRENCY = "SageMakerVariantConcurrentRequestsPerModelHighResolution"
PROVISIONED_CONCURRENCY_UTILIZATION = "SageMakerVariantProvisionedConcurrencyUtilization"
INVOCATIONS_PER_COPY = "SageMakerInferenceComponentInvocationsPerCopy"
CONCURRENT_REQUESTS_PER_COPY = "SageMakerInferenceComponentConcurrentRequestsPerCopyHighResolution"
#: The scalable dimension of each predefined metric.
DIMENSION_OF_METRIC = {
    INVOCATIONS_PER_INSTANCE: INSTANCE_COUNT,
    HIGH_RESOLUTION_CONCURRENCY: INSTANCE_COUNT,
    PROVISIONED_CONCURRENCY_UTILIZATION: PROVISIONED_CONCURRENCY,
    INVOCATIONS_PER_COPY: COPY_COUNT,
    CONCURRENT_REQUESTS_PER_COPY: COPY_COUNT,
}


class Signal(StrEnum):
    """What the number of instances of a real-time variant may follow, by the word that a configuration has for it."""

    INVOCATIONS = "invocations"
    CONCURRENCY = "concurrency"
    CPU = "cpu"
    GPU = "gpu"
    GPU_MEMORY = "gpu-memory"
    LATENCY = "latency"


@dataclass(frozen=True, kw_only=True)
class SignalMetric:
    """The metric of CloudWatch behind a signal, and the predefined metric of Application Auto Scaling, where there is one."""

    name: str
    statistic: str
    unit: str
    """What a configuration states its values in."""
    predefined: str | None = None


SIGNAL_METRICS = {
    Signal.INVOCATIONS: SignalMetric(
        name="InvocationsPerInstance",
        statistic="Sum",
        unit="requests in a minute",
        predefined=INVOCATIONS_PER_INSTANCE,
    ),
    # Published every 10 seconds without a MetricsConfig (endpoint-auto-scaling-add-code-define).
    Signal.CONCURRENCY: SignalMetric(
        name="ConcurrentRequestsPerModel",
        statistic="Maximum",
        unit="requests in progress",
        predefined=HIGH_RESOLUTION_CONCURRENCY,
    ),
    Signal.CPU: SignalMetric(name="CPUUtilization", statistic="Average", unit="percent"),
    Signal.GPU: SignalMetric(name="GPUUtilization", statistic="Average", unit="percent"),
    Signal.GPU_MEMORY: SignalMetric(name="GPUMemoryUtilization", statistic="Average", unit="percent"),
    Signal.LATENCY: SignalMetric(name="ModelLatency", statistic="p95", unit="milliseconds"),
}
