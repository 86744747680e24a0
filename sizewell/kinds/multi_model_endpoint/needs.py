"""The needs of a multi-model endpoint, as the selection takes them."""

from dataclasses import replace

from sizewell.config.policy import Policy
from sizewell.instance_selection import EndpointRequirements, Measurement, ModelSet
from sizewell.kinds.multi_model_endpoint.config import MultiModelEndpoint
from sizewell.planning.translate import load_of, served_requirements


def multi_model_requirements(
    endpoint: MultiModelEndpoint, policy: Policy, measurements: tuple[Measurement, ...] = ()
) -> EndpointRequirements:
    """Return the needs of an endpoint of many models, which share its load."""
    models, latency = endpoint.models, endpoint.latency
    needs = served_requirements(
        endpoint,
        endpoint.scaling,
        policy,
        measurements,
        min_instances=endpoint.scaling.min_instances or policy.min_endpoint_instances,
        max_p95_latency_ms=latency.max_p95_ms,
    )
    return replace(
        needs,
        max_p99_latency_ms=latency.max_p99_ms,
        models=ModelSet(
            count=models.count,
            hot_count=models.hot_count or 0,
            hot_share=(models.hot_share_percent or 0.0) / 100,
            zipf_exponent=models.zipf_exponent or 0.0,
            workers_per_model=models.workers_per_model,
            cached=models.cache,
            artifact_gib=endpoint.container.artifact.size_gib,
            max_cold_latency_ms=latency.max_cold_ms,
        ),
        **load_of(endpoint.traffic),
    )
