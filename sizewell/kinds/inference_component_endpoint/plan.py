"""The decisions for one endpoint of inference components: its fleet, and the copies of each model."""

from collections.abc import Iterator, Mapping
from typing import get_args

from sizewell.config.variant_names import PRIMARY
from sizewell.facts.alarms import ROLLBACK_ALARMS
from sizewell.facts.inference_amis import InferenceAmiVersion
from sizewell.facts.scaling import CONCURRENT_REQUESTS_PER_COPY
from sizewell.facts.serving_features import Feature, ServedAs
from sizewell.instance_selection import (
    EndpointRequirements,
    FleetEstimate,
    HardwareKind,
    select_component_fleet,
)
from sizewell.instance_selection.component_placement import place_copies
from sizewell.instance_selection.estimation.hardware import hardware_kind
from sizewell.kinds.inference_component_endpoint.component import component_assumptions, plan_component
from sizewell.kinds.inference_component_endpoint.config import (
    InferenceComponentEndpoint,
)
from sizewell.kinds.inference_component_endpoint.needs import fleet_requirements
from sizewell.kinds.inference_component_endpoint.plan_model import (
    ComponentEndpointPlan,
    ComponentPlan,
    FleetScalingPlan,
)
from sizewell.planning.alarm_thresholds import (
    DISK_PERCENT,
    MEMORY_PERCENT,
    evaluation_faults,
    percentile_faults,
    stated_alarms,
)
from sizewell.planning.digests import needs_digest
from sizewell.planning.endpoint_plan import (
    artifact_size_gib,
)
from sizewell.planning.errors import PlanFault
from sizewell.planning.features import INSTANCE_TYPE, Asked
from sizewell.planning.interface_endpoints import services_of_endpoint
from sizewell.planning.kind import PlanKind, Planned, Stated
from sizewell.planning.legality import legality_faults
from sizewell.planning.locked_selection import select_under_lock
from sizewell.planning.name_limits import ENDPOINT_NAME
from sizewell.planning.names import composite_alarm_name, stated_keys
from sizewell.planning.remedies import ENDPOINT_REMEDIES, PIN, Remedy
from sizewell.planning.rollout import (
    no_callback_fault,
    wait_faults,
)
from sizewell.planning.scaling_policies import ScalingPolicyPlan
from sizewell.planning.volumes import endpoint_volume_size_gib, has_local_disks

#: API reference: CreateInferenceComponent, InferenceComponentName.
_MAX_NAME = 63


def plan_component_endpoint(stated: Stated) -> ComponentEndpointPlan:
    """Return the plan of an endpoint, on its locked type while that is feasible.

    Raises ``NoFeasibleInstanceError`` and ``UnknownInstanceTypeError``.
    """
    endpoint: InferenceComponentEndpoint = stated.workload
    name, policy, catalog, names = stated.name, stated.policy, stated.catalog, stated.names
    if endpoint.instances.instance_type is not None:
        catalog.get(endpoint.instances.instance_type)
    needs = fleet_requirements(endpoint, policy)
    digest = needs_digest(needs, region=policy.region)
    selection, lock = select_under_lock(select_component_fleet, needs, catalog, stated.locked, digest)
    fleet, chosen = selection.chosen.estimate, catalog.get(selection.chosen.instance_type)
    kind = hardware_kind(chosen)
    assert kind is not None
    serving = {component.name: component.serving for component in needs.components}
    components = {
        key: plan_component(
            names.component(name, key),
            component,
            endpoint.rollout,
            fleet.components[key],
            serving[key],
            kind,
            names,
            policy.working_hours if endpoint.rests(policy) else None,
        )
        for key, component in endpoint.components.items()
    }
    alarms, alarms_off = stated_alarms(
        endpoint.alarms,
        {"memory_utilization": MEMORY_PERCENT, "disk_utilization": DISK_PERCENT},
        0.0,
        instances_report=not (endpoint.sleeps or endpoint.rests(policy)),
    )
    local_disks = has_local_disks(chosen)
    assumptions = (
        f"{key}: {line}"
        for key, component in endpoint.components.items()
        for line in component_assumptions(component, kind)
    )
    return ComponentEndpointPlan(
        **stated_keys(name, endpoint, names),
        environment={},
        network_isolation=next(iter(endpoint.components.values())).container.network_isolation,
        endpoint_name=names.workload(name),
        variant_name=PRIMARY,
        instance_type=chosen.name,
        # The API makes an endpoint with one instance at least; without copies it goes.
        initial_instance_count=max(1, fleet.instances_at_average),
        volume_size_gib=None
        if local_disks
        else endpoint_volume_size_gib(_fullest_gib(fleet, endpoint, serving)),
        encrypt_volume_with_key=not local_disks,
        inference_ami_version=_machine_image(endpoint, kind),
        routing=endpoint.routing,
        detailed_metrics=endpoint.detailed_metrics,
        scaling=FleetScalingPlan(
            min_instance_count=0 if endpoint.rests(policy) else needs.min_instances,
            max_instance_count=endpoint.scaling.max_instances
            or max(
                fleet.instances_at_peak,
                min(needs.max_instances, _instances_at_most(fleet, components, serving)),
            ),
        ),
        components=components,
        alarms=alarms,
        alarms_off=alarms_off,
        composite_alarm_name=composite_alarm_name(policy, names, name),
        selection=selection.model_copy(update={"assumptions": (*selection.assumptions, *assumptions)}),
        instance_pools=(chosen.name,),
        needs_digest=digest,
        lock=lock,
    )


def component_faults(
    endpoint: InferenceComponentEndpoint, plan: ComponentEndpointPlan
) -> Iterator[PlanFault]:
    """Yield what of a plan AWS refuses, and what is stated without an effect."""
    path = ("workloads", plan.name)
    yield from evaluation_faults((*path, "alarms"), plan.alarms)
    yield from _copies_without_room(endpoint, plan)
    for key, component in plan.components.items():
        of_component, alarms = (*path, "components", key), endpoint.components[key].alarms
        if (length := len(component.component_name)) > _MAX_NAME:
            yield PlanFault(
                of_component,
                f"is called {component.component_name} in the account: {length} characters, and AWS takes {_MAX_NAME}",
                "shorten its name, or names.workload",
            )
        yield from evaluation_faults((*of_component, "alarms"), component.alarms)
        predicted_p95_ms = plan.selection.chosen.estimate.components[key].serving.p95_latency_ms
        yield from percentile_faults((*of_component, "alarms"), alarms, component.alarms, predicted_p95_ms)
        if component.rollout is None:
            continue
        yield from wait_faults((*path, "rollout"), component.rollout.watched_s)
        if not component.alarms.keys() & set(ROLLBACK_ALARMS):
            yield PlanFault(
                (*of_component, "alarms"),
                f"{', '.join(ROLLBACK_ALARMS)} are all off, and nothing would call copies of a bad model back",
                "leave one of them on",
            )
        elif not component.rollout.alarms:
            yield no_callback_fault((*path, "rollout"), component.rollout.watched_s)
    if endpoint.rollout.model_fields_set and not any(
        component.rollout for component in plan.components.values()
    ):
        yield PlanFault(
            (*path, "rollout"),
            "has no effect: at most half of the copies are exchanged at a time, and every component may have a single one",
            "write scaling.min_copies: 2 for a component, or remove the key",
        )


def _copies_without_room(
    endpoint: InferenceComponentEndpoint, plan: ComponentEndpointPlan
) -> Iterator[PlanFault]:
    """Yield stated numbers of copies that the largest fleet never holds, even beside the fewest of the others."""
    fleet, instances = plan.selection.chosen.estimate, plan.scaling.max_instance_count
    shares = {key: component.share for key, component in fleet.components.items()}
    fewest = {
        key: component.scaling.min_copy_count if component.scaling else component.initial_copy_count
        for key, component in plan.components.items()
    }

    def fits(key: str, copies: int) -> bool:
        counts = {**fewest, key: copies}
        placed = place_copies(
            counts, shares=shares, apart=fewest, shares_per_instance=fleet.shares_per_instance
        )
        return len(placed) <= instances

    for key, component in endpoint.components.items():
        if (stated := component.scaling.max_copies) is None:
            continue
        most = min(stated, instances * (fleet.shares_per_instance // shares[key]))
        held = next((copies for copies in range(most, 0, -1) if fits(key, copies)), 0)
        if held < stated:
            yield PlanFault(
                ("workloads", plan.name, "components", key, "scaling", "max_copies"),
                f"is {stated}, but {instances} instances of {plan.instance_type} hold {held} beside the fewest copies of the "
                "other components",
                f"write {held} at most, or allow more instances: scaling.max_instances, policy.max_endpoint_instances",
            )


def _machine_image(endpoint: InferenceComponentEndpoint, kind: HardwareKind) -> str | None:
    """Return the newest machine image that a component asks for, as all share the hosts: its driver runs older CUDA as well.

    https://docs.nvidia.com/deploy/cuda-compatibility/ ("Backward Compatibility")
    """
    images = (
        component.container.images.by_hardware().get(kind) for component in endpoint.components.values()
    )
    asked = {getattr(image, "inference_ami_version", None) for image in images} - {None}
    return max(asked, key=get_args(InferenceAmiVersion).index, default=None)


def _fullest_gib(
    fleet: FleetEstimate, endpoint: InferenceComponentEndpoint, serving: Mapping[str, EndpointRequirements]
) -> float:
    """Return what the copies of one instance have on its disk: nobody says that those of one component share an artifact."""
    sizes = {
        key: artifact_size_gib(component.container, serving[key].model)
        for key, component in endpoint.components.items()
    }
    return max(sum(count * sizes[key] for key, count in copies.items()) for copies in fleet.placement)


def _instances_at_most(
    fleet: FleetEstimate, components: Mapping[str, ComponentPlan], serving: Mapping[str, EndpointRequirements]
) -> int:
    """Return how many instances hold the most copies."""
    most = {
        key: component.scaling.max_copy_count if component.scaling else component.initial_copy_count
        for key, component in components.items()
    }
    placed = place_copies(
        most,
        shares={key: component.share for key, component in fleet.components.items()},
        apart={key: requirements.min_instances for key, requirements in serving.items()},
        shares_per_instance=fleet.shares_per_instance,
    )
    return len(placed)


def _plan(stated: Stated) -> Planned:
    plan = plan_component_endpoint(stated)
    return plan, (*legality_faults(plan, stated.catalog), *component_faults(stated.workload, plan))


#: For each filter of a fleet's selection: its reasons name the component.
COMPONENT_REMEDIES = {
    name: remedy
    if remedy.key_path in ((), PIN, ("instances",), ("max_usd_per_month",))
    else Remedy(("components",), remedy.advice)
    for name, remedy in ENDPOINT_REMEDIES.items()
} | {
    "throughput": Remedy(
        ("scaling", "max_instances"),
        "allow more instances (scaling.max_instances, policy.max_endpoint_instances) or copies (scaling.max_copies of the "
        "component), or plan for less traffic",
    )
}


def _copy_policies(plan: ComponentEndpointPlan) -> tuple[ScalingPolicyPlan, ...]:
    return tuple(
        policy
        for component in plan.components.values()
        if component.scaling
        for policy in component.scaling.policies
    )


FEATURES: tuple[Asked[ComponentEndpointPlan], ...] = (
    (Feature.MANAGED_INSTANCE_SCALING, ("scaling",), lambda plan: True),
    (
        Feature.COPIES_SCALING,
        ("components",),
        lambda plan: any(component.scaling for component in plan.components.values()),
    ),
    (
        Feature.TRACKING_HIGH_RESOLUTION_CONCURRENCY,
        ("components",),
        lambda plan: any(policy.metric == CONCURRENT_REQUESTS_PER_COPY for policy in _copy_policies(plan)),
    ),
    (
        Feature.STEP_SCALING,
        ("components",),
        lambda plan: any(policy.type == "step-scaling" for policy in _copy_policies(plan)),
    ),
    (
        Feature.SCALE_TO_ZERO,
        ("scaling", "min_instances"),
        # What the clock stops, the clock starts again.
        lambda plan: plan.scaling.min_instance_count == 0 and not plan.rests,
    ),
    (Feature.SCHEDULED_SCALING, ("scaling",), lambda plan: plan.rests),
    (
        Feature.ROLLING,
        ("rollout",),
        lambda plan: any(component.rollout for component in plan.components.values()),
    ),
    (
        Feature.AUTO_ROLLBACK_ALARMS,
        ("rollout",),
        lambda plan: any(component.rollout for component in plan.components.values()),
    ),
    (Feature.NETWORK_ISOLATION, ("components",), lambda plan: plan.network_isolation),
    (Feature.VOLUME_KEY, INSTANCE_TYPE, lambda plan: plan.encrypt_volume_with_key),
    (
        Feature.UNCOMPRESSED_ARTIFACT,
        ("components",),
        lambda plan: any(component.artifact_compression == "none" for component in plan.components.values()),
    ),
    (Feature.INFERENCE_AMI, ("components",), lambda plan: plan.inference_ami_version is not None),
)


FACET = PlanKind(
    plan=_plan,
    name=ENDPOINT_NAME,
    remedies=lambda _: COMPONENT_REMEDIES,
    served_as=lambda _: ServedAs.INFERENCE_COMPONENTS,
    features=FEATURES,
    services=services_of_endpoint,
)
