"""The needs of a real-time endpoint, as the selection takes them."""

from dataclasses import replace

from sizewell.config.policy import Policy
from sizewell.instance_selection import EndpointRequirements, Measurement
from sizewell.kinds.real_time_endpoint.config import RealTimeEndpoint
from sizewell.planning.translate import load_of, served_requirements


def endpoint_requirements(
    endpoint: RealTimeEndpoint, policy: Policy, measurements: tuple[Measurement, ...] = ()
) -> EndpointRequirements:
    """Return the needs of an endpoint under the policy of its environment, with what was measured of it."""
    latency = endpoint.latency
    needs = served_requirements(
        endpoint,
        endpoint.scaling,
        policy,
        measurements,
        min_instances=endpoint.scaling.min_instances or policy.min_endpoint_instances,
        max_p95_latency_ms=latency.max_p95_ms,
        pipeline=endpoint.pipeline,
    )
    return replace(
        needs,
        max_p99_latency_ms=latency.max_p99_ms,
        max_time_to_first_token_ms=latency.max_time_to_first_token_ms,
        max_inter_token_ms=latency.max_inter_token_ms,
        **load_of(endpoint.traffic),
    )
