"""The needs of an asynchronous endpoint, as the selection takes them."""

from sizewell.config.policy import Policy
from sizewell.facts.asynchronous import IDLE_S
from sizewell.instance_selection import EndpointRequirements, Measurement
from sizewell.kinds.asynchronous_endpoint.config import AsynchronousEndpoint
from sizewell.planning.translate import served_requirements
from sizewell.serving_modes.asynchronous import asynchronous_needs


def asynchronous_requirements(
    endpoint: AsynchronousEndpoint, policy: Policy, measurements: tuple[Measurement, ...] = ()
) -> EndpointRequirements:
    """Return the needs of an endpoint behind a queue; its instances sleep, unless the configuration keeps some awake."""
    traffic, scaling = endpoint.traffic, endpoint.scaling
    max_wait_s = endpoint.latency.max_wait_minutes * 60
    min_instances = scaling.min_instances or 0
    return asynchronous_needs(
        served_requirements(
            endpoint,
            scaling,
            policy,
            measurements,
            min_instances=min_instances,
            max_p95_latency_ms=max_wait_s * 1000,
        ),
        max_wait_s=max_wait_s,
        average_requests_per_second=traffic.average_requests_per_second,
        active_hours_per_day=traffic.active_hours_per_day,
        min_instances=min_instances,
        idle_s=max(IDLE_S, scaling.scale_in_cooldown_s),
    )
