"""What builds each mode: the kind of workload that an endpoint becomes when a mode is taken for it."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar, get_args

from sizewell.config.asynchronous_endpoint import (
    MAX_WAIT_MINUTES,
    AsynchronousEndpoint,
    AsynchronousLatency,
)
from sizewell.config.container import CpuImages, ServingContainer
from sizewell.config.endpoint import EndpointNeeds, RealTimeEndpoint
from sizewell.config.lambda_function import LambdaContainer, LambdaFunction, LambdaImages, LambdaLatency
from sizewell.config.mode_endpoint import ModeEndpoint
from sizewell.config.served_model import ServedModel
from sizewell.config.serverless_endpoint import ServerlessContainer, ServerlessEndpoint
from sizewell.config.traffic import RequestTraffic, UserTraffic
from sizewell.facts.billing import HOURS_PER_MONTH
from sizewell.instance_selection.modes import Mode, ModeComparison
from sizewell.planning.workload_plan import WorkloadPlan

S = TypeVar("S", bound=ServedModel)


def real_time(endpoint: EndpointNeeds) -> RealTimeEndpoint:
    """Return the real-time endpoint of these needs."""
    if isinstance(endpoint, RealTimeEndpoint):
        return endpoint
    return _stated(RealTimeEndpoint, endpoint)


def stated_in_mode(endpoint: ModeEndpoint, comparison: ModeComparison) -> ServedModel:
    """Return the workload that an endpoint is in the mode that was taken, as if the configuration had stated its kind."""
    assert comparison.chosen is not None
    return _OF_MODE[comparison.chosen.mode](endpoint, comparison)


def stated_as_planned(workload: object, plan: WorkloadPlan) -> object:
    """Return a workload of the configuration as the kind that its plan is of."""
    if isinstance(workload, ModeEndpoint) and plan.modes is not None:
        return stated_in_mode(workload, plan.modes)
    return workload


def _asynchronous(endpoint: ModeEndpoint, comparison: ModeComparison) -> AsynchronousEndpoint:
    wait_minutes = endpoint.latency.max_wait_minutes
    assert wait_minutes is not None, "a mode that answers later is taken only where an answer may come later"
    return _stated(
        AsynchronousEndpoint,
        endpoint,
        traffic=_requests(endpoint, comparison),
        latency=AsynchronousLatency(max_wait_minutes=min(wait_minutes, MAX_WAIT_MINUTES)),
    )


def _serverless(endpoint: ModeEndpoint) -> ServerlessEndpoint:
    return _stated(ServerlessEndpoint, endpoint, container=_on_x86(endpoint.container))


def _on_x86(container: ServingContainer) -> ServerlessContainer:
    """Return a container that starts from the image for x86 CPUs, whatever other hardware it has images for."""
    values = {name: getattr(container, name) for name in type(container).model_fields}
    values["images"] = CpuImages.model_construct(cpu_x86_64=container.images.cpu_x86_64)
    return ServerlessContainer.model_construct(_fields_set=container.model_fields_set, **values)


def _lambda(endpoint: ModeEndpoint) -> LambdaFunction:
    latency, container = endpoint.latency, endpoint.container
    return _stated(
        LambdaFunction,
        endpoint,
        # What runs on x86 is what was compared, and what lambda_runtime is about.
        container=LambdaContainer(
            images=LambdaImages(cpu_x86_64=container.images.cpu_x86_64),
            artifact=container.artifact,
            environment=container.environment,
        ),
        latency=LambdaLatency(max_p95_ms=latency.max_p95_ms, max_p99_ms=latency.max_p99_ms),
    )


def _requests(endpoint: ModeEndpoint, comparison: ModeComparison) -> RequestTraffic:
    """Return the traffic in requests: what users send who each wait for an answer, where it is stated in users."""
    traffic = endpoint.traffic
    if not isinstance(traffic, UserTraffic):
        return traffic
    average = comparison.requests_per_month / (HOURS_PER_MONTH * 3600)
    users = traffic.average_concurrent_users or traffic.peak_concurrent_users
    return RequestTraffic(
        peak_requests_per_second=average
        * max(traffic.peak_concurrent_users / users, 24 / traffic.active_hours_per_day),
        average_requests_per_second=average,
        active_hours_per_day=traffic.active_hours_per_day,
    )


_OF_MODE: Mapping[Mode, Callable[[ModeEndpoint, ModeComparison], ServedModel]] = {
    Mode.REAL_TIME: lambda endpoint, _: real_time(endpoint),
    Mode.SERVERLESS: lambda endpoint, _: _serverless(endpoint),
    Mode.ASYNCHRONOUS: _asynchronous,
    Mode.LAMBDA: lambda endpoint, _: _lambda(endpoint),
}


def built_modes(endpoint: EndpointNeeds) -> tuple[Mode, ...]:
    """Return the modes that become resources of an endpoint, and so may be taken: Lambda only where its image starts there."""
    starts = isinstance(endpoint, ModeEndpoint) and endpoint.lambda_runtime
    return tuple(mode for mode in _OF_MODE if starts or mode is not Mode.LAMBDA)


def _stated(config: type[S], endpoint: EndpointNeeds, **changed: Any) -> S:
    """Return what was stated as another kind; not validated again: all of it is, and what is stated remains what is stated."""
    shared = config.model_fields.keys() & type(endpoint).model_fields.keys() - {"kind"}
    kind = get_args(config.model_fields["kind"].annotation)[0]
    values = {name: getattr(endpoint, name) for name in shared} | changed
    fields_set = (endpoint.model_fields_set & shared) | changed.keys()
    built: S = config.model_construct(_fields_set=fields_set, kind=kind, **values)  # type: ignore[assignment]
    return built
