"""Translate the configuration of an endpoint of inference components into the requirements of the selection."""

from sizewell.config.base import MAX_INSTANCE_COUNT
from sizewell.config.policy import Policy
from sizewell.facts.billing import HOURS_PER_WEEK
from sizewell.instance_selection import (
    Batching,
    ComponentRequirements,
    EndpointRequirements,
    FleetRequirements,
    Objective,
)
from sizewell.kinds.inference_component_endpoint.config import InferenceComponent, InferenceComponentEndpoint
from sizewell.planning.engines import engine_of
from sizewell.planning.model_spec import model_spec
from sizewell.planning.translate import discount_percent, instance_limits, load_of, request_units, room_gib


def fleet_requirements(endpoint: InferenceComponentEndpoint, policy: Policy) -> FleetRequirements:
    """Return the needs of the fleet under the policy of its environment."""
    least = endpoint.scaling.min_instances
    return FleetRequirements(
        components=tuple(
            ComponentRequirements(name=name, serving=_copy_requirements(component, endpoint, policy))
            for name, component in endpoint.components.items()
        ),
        min_instances=(0 if endpoint.sleeps else policy.min_endpoint_instances) if least is None else least,
        max_instances=endpoint.scaling.max_instances or policy.max_endpoint_instances,
        objective=Objective(endpoint.objective),
        max_usd_per_month=endpoint.max_usd_per_month,
        savings_plan_discount_pct=discount_percent(policy),
        hours_per_week=policy.working_hours.hours_per_week
        if policy.working_hours and endpoint.rests(policy)
        else HOURS_PER_WEEK,
    )


def _copy_requirements(
    component: InferenceComponent, endpoint: InferenceComponentEndpoint, policy: Policy
) -> EndpointRequirements:
    """Return the needs of one component: what an endpoint calls instances are its copies."""
    model, batching, latency = model_spec(component.model), component.batching, component.latency
    copies = component.scaling
    return EndpointRequirements(
        model=model,
        engine=engine_of(component),
        limits=instance_limits(endpoint.instances, component.container, policy),
        max_p95_latency_ms=latency.max_p95_ms,
        max_p99_latency_ms=latency.max_p99_ms,
        max_time_to_first_token_ms=latency.max_time_to_first_token_ms,
        max_inter_token_ms=latency.max_inter_token_ms,
        **request_units(component.request, model),
        **load_of(component.traffic),
        batching=Batching(max_batch_size=batching.max_batch_size, max_delay_ms=batching.max_delay_ms)
        if batching
        else None,
        headroom=copies.headroom,
        min_instances=policy.min_endpoint_instances if copies.min_copies is None else copies.min_copies,
        max_instances=copies.max_copies or MAX_INSTANCE_COUNT,
        margin=policy.margin if component.margin is None else component.margin,
        artifact_gib=room_gib(component.container.artifact),
    )
