"""The variants of an endpoint, each planned as an endpoint of its own, as one endpoint."""

from collections.abc import Iterator, Sequence

from sizewell.config.variant_names import SHADOW, variant_of
from sizewell.facts.deployment_guardrails import MAX_ROLLBACK_ALARMS
from sizewell.instance_selection import Catalog
from sizewell.kinds.real_time_endpoint.config import RealTimeEndpoint
from sizewell.planning.api_gateway import joined
from sizewell.planning.endpoint_plan_model import EndpointPlan, RolloutPlan, VariantPlan
from sizewell.planning.errors import PlanFault
from sizewell.planning.kind import Planned
from sizewell.planning.legality import legality_faults
from sizewell.planning.rollout import plan_rollout, rollback_alarms
from sizewell.planning.workload_plan import AccessPlan


def join_variants(stated: RealTimeEndpoint, plans: Sequence[EndpointPlan], catalog: Catalog) -> Planned:
    """Return the plan of an endpoint with all of its variants, its own first, and what does not go together."""
    endpoint = _joined(stated, plans, catalog)
    return endpoint, (*_one_key(endpoint), *_too_many_alarms(endpoint), *legality_faults(endpoint, catalog))


def _joined(stated: RealTimeEndpoint, plans: Sequence[EndpointPlan], catalog: Catalog) -> EndpointPlan:
    own, *others = plans
    shares = {name: stated_variant.traffic_percent / 100 for name, stated_variant in stated.variants.items()}
    shadow = next((plan for plan in others if variant_of(plan.name) == SHADOW), None)
    variants = [
        _variant(plan, weight=shares[variant])
        for plan in others
        if (variant := variant_of(plan.name)) in shares
    ]
    accesses = [plan.access for plan in plans if plan is not shadow and plan.access]
    rollout = own.rollout
    if stated.rollout is None:
        # Half of one instance cannot be exchanged.
        alone = min(variant.fewest_instances for variant in (own, *variants)) < 2
        rollout = None if alone else _rollout(own, catalog)
    return own.model_copy(
        update={
            "weight": round(1 - sum(shares.values()), 9),
            "other_variants": tuple(_watched(variant, rollout) for variant in variants),
            "shadow_variant": _shadow(shadow, stated) if shadow else None,
            "rollout": rollout,
            "rollback_alarms": rollback_alarms(rollout, own.alarms, own.average_requests_per_second),
            "access": _access(accesses) if accesses else None,
        }
    )


def _access(accesses: Sequence[AccessPlan]) -> AccessPlan:
    """Return the access to all variants; they have the same callers."""
    apis = [access.api_gateway for access in accesses if access.api_gateway]
    streams = any(access.streams for access in accesses)
    return accesses[0].model_copy(update={"streams": streams, "api_gateway": joined(apis) if apis else None})


def _rollout(own: EndpointPlan, catalog: Catalog) -> RolloutPlan | None:
    return plan_rollout(
        catalog.get(own.instance_type),
        own.initial_instance_count,
        own.container_startup_health_check_timeout_s,
        own.alarms,
        own.average_requests_per_second,
        in_batches=False,
    )


def _watched(variant: VariantPlan, rollout: RolloutPlan | None) -> VariantPlan:
    watched = rollback_alarms(rollout, variant.alarms, variant.average_requests_per_second)
    return variant.model_copy(update={"rollback_alarms": watched})


def _too_many_alarms(endpoint: EndpointPlan) -> Iterator[PlanFault]:
    count = sum(len(variant.rollback_alarms) for variant in endpoint.variants)
    if count > MAX_ROLLBACK_ALARMS:
        yield PlanFault(
            ("workloads", endpoint.name, "variants"),
            f"have {count} alarms that call a new fleet back, and SageMaker watches {MAX_ROLLBACK_ALARMS} at most",
            "switch alarms of errors or latency off with off_because, or write rollout.strategy: none",
        )


def _variant(plan: EndpointPlan, **changed: object) -> VariantPlan:
    own = {name: getattr(plan, name) for name in VariantPlan.model_fields}
    return VariantPlan.model_construct(**own | changed)


def _shadow(plan: EndpointPlan, stated: RealTimeEndpoint) -> VariantPlan:
    """Return a variant of as many instances as its peak needs."""
    assert stated.shadow is not None
    return _variant(
        plan,
        weight=stated.shadow.sampling_percent / 100,
        rollback_alarms={},
        initial_instance_count=plan.selection.chosen.estimate.instances_at_peak,
    )


def _one_key(endpoint: EndpointPlan) -> Iterator[PlanFault]:
    """One key of the endpoint configuration is for the volumes of all variants, and none goes with local NVMe disks."""
    for other in endpoint.variants[1:]:
        if other.encrypt_volume_with_key != endpoint.encrypt_volume_with_key:
            disks = {True: "an EBS volume", False: "local NVMe disks"}
            yield PlanFault(
                ("workloads", other.name, "instances"),
                f"{other.variant_name} on {other.instance_type} has {disks[other.encrypt_volume_with_key]}, but "
                f"{endpoint.variant_name} on {endpoint.instance_type} has {disks[endpoint.encrypt_volume_with_key]}: SageMaker "
                "takes one key for the volumes of all variants, and none beside local NVMe disks",
                "state instances.allowed_families of one of them, so that both have disks of one kind",
            )
            return
