"""Which CloudWatch metrics endpoints publish: those of ``sizewell.facts.metrics`` in the two namespaces of endpoints."""

from functools import cache

from sizewell.facts.metrics import DIMENSIONS, Dimensions, Metric, metrics

INVOCATION_NAMESPACE = "AWS/SageMaker"
INSTANCE_NAMESPACE = "/aws/sagemaker/Endpoints"
#: Dimensions of the finer metrics: of containers, and the enhanced ones of instances and accelerators
#: (monitoring-cloudwatch-enhanced-metrics).
FINER_DIMENSIONS = frozenset({"ContainerName", "InstanceId", "ContainerId", "AcceleratorId"})
#: A metric that counts what is "not 2XX" (monitoring-cloudwatch), and the one that counts what of it clients do wrong.
CLIENT_ERRORS_AMONG = {"InvocationModelErrors": "Invocation4XXErrors"}
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


@cache
def endpoint_metrics() -> dict[str, Metric]:
    """Return the metrics of endpoints, variants and inference components by name."""
    namespaces = (INVOCATION_NAMESPACE, INSTANCE_NAMESPACE)
    return {name: metric for (namespace, name), metric in metrics().items() if namespace in namespaces}


def variant_dimensions(endpoint_name: str, variant_name: str) -> Dimensions:
    """Return the (name, value) pairs that select one production variant."""
    return tuple(zip(DIMENSIONS["variant"], (endpoint_name, variant_name), strict=True))


def configuration_dimensions(endpoint_name: str, variant_name: str, endpoint_config_name: str) -> Dimensions:
    """Return the (name, value) pairs that select the fleet of a variant that has one endpoint configuration, and no other."""
    values = (endpoint_name, variant_name, endpoint_config_name)
    return tuple(zip(DIMENSIONS["configuration"], values, strict=True))


def queue_dimensions(endpoint_name: str) -> Dimensions:
    """Return the (name, value) pairs that select the queue of an asynchronous endpoint, which all its variants share."""
    return tuple(zip(DIMENSIONS["endpoint"], (endpoint_name,), strict=True))


def component_dimensions(component_name: str) -> Dimensions:
    """Return the (name, value) pairs that select one inference component: its name is its own in the account and region."""
    return tuple(zip(DIMENSIONS["component"], (component_name,), strict=True))
