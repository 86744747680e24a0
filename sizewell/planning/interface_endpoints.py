"""Which AWS services the workloads of an environment reach from their VPC, and who asks for each.

A container with network isolation calls nothing, not even through the VPC, and has no credentials. What SageMaker moves for
it, data and models to and from S3, passes the VPC with the role of the workload, so the gateway endpoint of S3 is always
there. Images and logs are SageMaker's own work outside of the VPC.
https://docs.aws.amazon.com/sagemaker/latest/dg/mkt-algo-model-internet-free.html,
https://docs.aws.amazon.com/sagemaker/latest/dg/train-vpc.html

A container without isolation calls what its role allows, and needs an interface endpoint for it ("Connect to Resources
Outside Your VPC" of the same page): logs and metrics; the key of the data too, where it trains. It never pulls an image,
asks STS for another role or calls the API of SageMaker: its role allows none of them.

A Lambda function is called, and writes its logs, outside of the VPC, whatever its own network is; it reaches S3 alone.
"""

from collections.abc import Iterator

from sizewell.config.cluster import CHEAPEST, TargetKind, target_of
from sizewell.config.cluster_rules import possible_targets
from sizewell.config.environment import Environment
from sizewell.config.network import NewNetwork
from sizewell.config.variant_names import endpoint_of
from sizewell.config.workload import Workload
from sizewell.facts.interface_endpoints import EXPERIMENTS, FUNCTIONS, OF_TASKS, PRIVATE_APIS, RUNTIME
from sizewell.facts.mlflow import is_app
from sizewell.facts.notebook_instances import API
from sizewell.kinds.registry import facet
from sizewell.planning.foundation_plan_model import InterfaceEndpointPlan
from sizewell.planning.kind import PlanKind
from sizewell.targets.registry import target_facet

#: What the role of a container allows besides S3: constructs_lib/endpoints/model_role.py and jobs/training_workflow.py.
_CALLS_OF_ALL = ("logs", "monitoring")
_CALLS_OF_JOBS = ("kms",)


def services_of_container(workload: Workload) -> Iterator[str]:
    """Yield what a container without network isolation calls."""
    if workload.in_vpc and not workload.is_isolated:
        yield from _CALLS_OF_ALL


def services_of_endpoint(workload: Workload) -> Iterator[str]:
    """Yield what callers of an endpoint call, and its containers."""
    yield RUNTIME
    yield from services_of_container(workload)


def services_of_job(workload: Workload) -> Iterator[str]:
    """Yield what the container of a training or of a script calls: it uses the key of its data itself."""
    if not workload.is_isolated:
        yield from (*_CALLS_OF_ALL, *_CALLS_OF_JOBS)


def plan_interface_endpoints(environment: Environment) -> tuple[InterfaceEndpointPlan, ...]:
    """Return the services by name; those that the configuration lists, where it lists any."""
    network = environment.network
    if isinstance(network, NewNetwork) and network.interface_endpoints is not None:
        return tuple(
            InterfaceEndpointPlan(service=service, reason="the configuration asks for it")
            for service in network.interface_endpoints
        )
    askers: dict[str, list[str]] = {}
    for service, workload in _needs(environment):
        askers.setdefault(service, []).append(workload)
    return tuple(
        InterfaceEndpointPlan(service=service, reason=_reason(service, names))
        for service, names in sorted(askers.items())
    )


def _needs(environment: Environment) -> Iterator[tuple[str, str]]:
    """Yield services, each with the workload that needs it."""
    mlflow_arn = environment.existing.mlflow_arn
    for name, workload in environment.workloads.items():
        for kind in _kinds_as_planned(workload, environment):
            yield from ((service, name) for service in facet(kind, PlanKind).services(workload))
        access = getattr(workload, "access", None)
        if access is not None and access.api_gateway is not None and endpoint_of(name) == name:
            yield PRIVATE_APIS, name
        if mlflow_arn is not None and not is_app(mlflow_arn) and getattr(workload, "experiment", None):
            yield EXPERIMENTS, name


def _kinds_as_planned(workload: Workload, environment: Environment) -> Iterator[str]:
    """Yield what a workload may be planned as: several kinds where the plan chooses its place."""
    stated = target_of(workload)
    for target in possible_targets(workload, environment) if stated == CHEAPEST else (stated,):
        if target is None:
            yield workload.kind
        elif (cluster := environment.clusters.get(target)) is not None:
            yield target_facet(cluster.type, TargetKind).runs[workload.kind].planned_as


def _reason(service: str, workloads: list[str]) -> str:
    if service == RUNTIME:
        return "callers in the VPC invoke the endpoints"
    if service == FUNCTIONS:
        return "callers in the VPC invoke the functions"
    if service == API:
        return f"stops itself without work: {', '.join(workloads)}"
    if service == EXPERIMENTS:
        return f"record their runs in MLflow: {', '.join(workloads)}"
    if service == PRIVATE_APIS:
        return f"callers in the VPC call the API of {', '.join(workloads)}"
    if service in OF_TASKS:
        return f"tasks of ECS: {', '.join(workloads)}"
    return f"no network isolation: {', '.join(workloads)}"
