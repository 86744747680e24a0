"""The decisions for one endpoint of inference components: its fleet, and the copies of each model."""

import math
from collections.abc import Iterator, Mapping
from typing import get_args

from sizewell.config.base import MAX_INSTANCE_COUNT
from sizewell.config.inference_component_endpoint import (
    ComponentRollout,
    InferenceComponent,
    InferenceComponentEndpoint,
)
from sizewell.config.policy import Policy
from sizewell.config.variant_names import PRIMARY
from sizewell.facts.alarms import ROLLBACK_ALARMS
from sizewell.facts.deployment_guardrails import wait_intervals
from sizewell.facts.endpoint_metrics import component_dimensions, endpoint_metrics
from sizewell.facts.inference_amis import InferenceAmiVersion
from sizewell.facts.scaling import CONCURRENT_REQUESTS_PER_COPY, INVOCATIONS_PER_COPY
from sizewell.instance_selection import (
    Catalog,
    EndpointRequirements,
    Engine,
    FleetEstimate,
    HardwareKind,
    select_component_fleet,
)
from sizewell.instance_selection.component_placement import place_copies
from sizewell.instance_selection.estimation.hardware import hardware_kind
from sizewell.instance_selection.results import CopyEstimate
from sizewell.planning.alarm_thresholds import (
    DISK_PERCENT,
    ERROR_4XX_PERCENT,
    ERROR_5XX_PERCENT,
    MEMORY_PERCENT,
    MODEL_ERROR_PERCENT,
    evaluation_faults,
    latency_thresholds_ms,
    percentile_faults,
    stated_alarms,
)
from sizewell.planning.component_needs import fleet_requirements
from sizewell.planning.component_plan_model import (
    ComponentEndpointPlan,
    ComponentPlan,
    ComponentRolloutPlan,
    CopyScalingPlan,
    FleetScalingPlan,
)
from sizewell.planning.digests import needs_digest
from sizewell.planning.endpoint_plan import (
    artifact_size_gib,
    average_requests_per_second_of,
    batching_variables_of,
    startup_timeout_s,
)
from sizewell.planning.engines import engine_assumptions
from sizewell.planning.errors import PlanFault
from sizewell.planning.kind import PlanKind, Planned, Stated
from sizewell.planning.legality import legality_faults
from sizewell.planning.lock import LockedWorkload
from sizewell.planning.locked_selection import select_under_lock
from sizewell.planning.model_containers import Calls, container_assumptions, plan_model_container
from sizewell.planning.model_spec import model_assumptions
from sizewell.planning.name_limits import ENDPOINT_NAME
from sizewell.planning.names import Names
from sizewell.planning.queue_scaling import step_from_zero
from sizewell.planning.remedies import ENDPOINT_REMEDIES, PIN, Remedy
from sizewell.planning.rollout import (
    batch_percent,
    callbacks,
    execution_timeout_s,
    in_time,
    no_callback_fault,
    usual_wait_s,
    wait_faults,
)
from sizewell.planning.scaling import MAX_OVER_PEAK, three_digits
from sizewell.planning.scaling_policies import (
    MetricPlan,
    ScalingPolicyPlan,
    StepScalingPlan,
    TargetTrackingPlan,
)
from sizewell.planning.volumes import endpoint_volume_size_gib, has_local_disks
from sizewell.planning.workload_plan import AlarmPlan

#: API reference: CreateInferenceComponent, InferenceComponentName.
_MAX_NAME = 63
#: https://docs.aws.amazon.com/sagemaker/latest/dg/endpoint-auto-scaling-zero-instances.html
_NO_CAPACITY = "NoCapacityInvocationFailures"


def plan_component_endpoint(
    name: str,
    endpoint: InferenceComponentEndpoint,
    policy: Policy,
    catalog: Catalog,
    names: Names,
    locked: LockedWorkload | None = None,
) -> ComponentEndpointPlan:
    """Return the plan of an endpoint, on its locked type while that is feasible.

    Raises ``NoFeasibleInstanceError`` and ``UnknownInstanceTypeError``.
    """
    if endpoint.instances.instance_type is not None:
        catalog.get(endpoint.instances.instance_type)
    needs = fleet_requirements(endpoint, policy)
    digest = needs_digest(needs, region=policy.region)
    selection, lock = select_under_lock(select_component_fleet, needs, catalog, locked, digest)
    fleet, chosen = selection.chosen.estimate, catalog.get(selection.chosen.instance_type)
    kind = hardware_kind(chosen)
    assert kind is not None
    serving = {one.name: one.serving for one in needs.components}
    components = {
        key: _component(
            names.component(name, key),
            one,
            endpoint.rollout,
            fleet.components[key],
            serving[key],
            kind,
            names,
        )
        for key, one in endpoint.components.items()
    }
    alarms, alarms_off = stated_alarms(
        endpoint.alarms,
        {"memory_utilization": MEMORY_PERCENT, "disk_utilization": DISK_PERCENT},
        0.0,
        instances_report=not endpoint.sleeps,
    )
    local_disks = has_local_disks(chosen)
    assumptions = (
        f"{key}: {line}" for key, one in endpoint.components.items() for line in _assumed(one, kind)
    )
    return ComponentEndpointPlan(
        name=name,
        description=endpoint.description,
        stack_name=names.stack(name),
        tags=dict(sorted(endpoint.tags.items())),
        place=endpoint.place,
        execution_role_arn=endpoint.execution_role_arn,
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
            min_instance_count=needs.min_instances,
            max_instance_count=endpoint.scaling.max_instances
            or max(
                fleet.instances_at_peak,
                min(needs.max_instances, _instances_at_most(fleet, components, serving)),
            ),
        ),
        components=components,
        alarms=alarms,
        alarms_off=alarms_off,
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
    for key, one in plan.components.items():
        of_component, alarms = (*path, "components", key), endpoint.components[key].alarms
        if (length := len(one.component_name)) > _MAX_NAME:
            yield PlanFault(
                of_component,
                f"is called {one.component_name} in the account: {length} characters, and AWS takes {_MAX_NAME}",
                "shorten its name, or names.workload",
            )
        yield from evaluation_faults((*of_component, "alarms"), one.alarms)
        predicted_p95_ms = plan.selection.chosen.estimate.components[key].serving.p95_latency_ms
        yield from percentile_faults((*of_component, "alarms"), alarms, one.alarms, predicted_p95_ms)
        if one.rollout is None:
            continue
        yield from wait_faults((*path, "rollout"), one.rollout.watched_s)
        if not one.alarms.keys() & set(ROLLBACK_ALARMS):
            yield PlanFault(
                (*of_component, "alarms"),
                f"{', '.join(ROLLBACK_ALARMS)} are all off, and nothing would call copies of a bad model back",
                "leave one of them on",
            )
        elif not one.rollout.alarms:
            yield no_callback_fault((*path, "rollout"), one.rollout.watched_s)
    if endpoint.rollout.model_fields_set and not any(one.rollout for one in plan.components.values()):
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
    shares = {key: one.share for key, one in fleet.components.items()}
    fewest = {
        key: one.scaling.min_copy_count if one.scaling else one.initial_copy_count
        for key, one in plan.components.items()
    }

    def fits(key: str, copies: int) -> bool:
        counts = {**fewest, key: copies}
        placed = place_copies(
            counts, shares=shares, apart=fewest, shares_per_instance=fleet.shares_per_instance
        )
        return len(placed) <= instances

    for key, one in endpoint.components.items():
        if (stated := one.scaling.max_copies) is None:
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


def _component(
    component_name: str,
    one: InferenceComponent,
    rollout: ComponentRollout,
    copy: CopyEstimate,
    needs: EndpointRequirements,
    kind: HardwareKind,
    names: Names,
) -> ComponentPlan:
    average = average_requests_per_second_of(needs, copy.serving)
    alarms, alarms_off = stated_alarms(
        one.alarms,
        {
            "server_error_rate": ERROR_5XX_PERCENT,
            "model_error_rate": MODEL_ERROR_PERCENT,
            "client_error_rate": ERROR_4XX_PERCENT,
            **latency_thresholds_ms(one.latency),
        },
        average,
    )
    calls = Calls.of(one.request)
    container = plan_model_container(one.container, kind, names, calls)
    del container["network_isolation"]  # that of the endpoint
    variables, _ = batching_variables_of(one, kind, copy.serving.replicas_per_instance, calls.timeout_s)
    timeout_s = startup_timeout_s(artifact_size_gib(one.container, needs.model))
    return ComponentPlan(
        component_name=component_name,
        **{**container, "environment": dict(sorted((variables | container["environment"]).items()))},
        accelerator_count=copy.accelerator_count,
        cpu_cores=copy.cpu_cores,
        memory_mib=copy.memory_mib,
        initial_copy_count=copy.copies_at_average,
        startup_timeout_s=timeout_s,
        average_requests_per_second=average,
        scaling=_scaling(component_name, one, copy, needs),
        alarms=alarms,
        alarms_off=alarms_off,
        rollout=_rollout(rollout, copy, timeout_s, alarms, average) if needs.min_instances > 1 else None,
    )


def _assumed(one: InferenceComponent, kind: HardwareKind) -> tuple[str, ...]:
    calls = Calls.of(one.request)
    _, of_batching = batching_variables_of(one, kind, 1, calls.timeout_s)
    return (
        *of_batching,
        *model_assumptions(one.model),
        *engine_assumptions(one),
        *container_assumptions(one.container, kind, calls),
    )


def _machine_image(endpoint: InferenceComponentEndpoint, kind: HardwareKind) -> str | None:
    """Return the newest machine image that a component asks for, as all share the hosts: its driver runs older CUDA as well.

    https://docs.nvidia.com/deploy/cuda-compatibility/ ("Backward Compatibility")
    """
    images = (one.container.images.by_hardware().get(kind) for one in endpoint.components.values())
    asked = {getattr(image, "inference_ami_version", None) for image in images} - {None}
    return max(asked, key=get_args(InferenceAmiVersion).index, default=None)


def _scaling(
    component_name: str, component: InferenceComponent, copy: CopyEstimate, needs: EndpointRequirements
) -> CopyScalingPlan | None:
    stated, least = component.scaling, needs.min_instances
    most = stated.max_copies or min(MAX_INSTANCE_COUNT, math.ceil(copy.copies_at_peak * MAX_OVER_PEAK))
    if most <= least:
        return None
    estimate, free = copy.serving, 1 - needs.headroom
    # The guide scales to zero by invocations; of the other metric nobody says what it is without copies.
    by_concurrency = needs.engine is Engine.LLM_ENGINE and least > 0
    if by_concurrency:
        target = estimate.capacity_concurrency * free
        derivation = f"{estimate.capacity_concurrency} requests at a time in one copy less {needs.headroom:.0%} that stay free"
    else:
        target = estimate.capacity_requests_per_second * 60 * free
        derivation = (
            f"{estimate.capacity_requests_per_second:.3g} requests/s of one copy less {needs.headroom:.0%} that stay "
            "free, x 60 s"
        )
    policies: tuple[ScalingPolicyPlan, ...] = (
        TargetTrackingPlan(
            name="ConcurrentRequestsPerCopy" if by_concurrency else "InvocationsPerCopy",
            metric=CONCURRENT_REQUESTS_PER_COPY if by_concurrency else INVOCATIONS_PER_COPY,
            target_value=three_digits(target),
            scale_out_cooldown_s=stated.scale_out_cooldown_s,
            scale_in_cooldown_s=stated.scale_in_cooldown_s,
            derivation=derivation,
        ),
    )
    if least == 0:
        policies += (_wake(component_name),)
    return CopyScalingPlan(min_copy_count=least, max_copy_count=most, policies=policies)


def _wake(component_name: str) -> StepScalingPlan:
    """Return the step from no copy to one: without copies there is nothing that target tracking could track."""
    metric = MetricPlan(
        namespace=endpoint_metrics()[_NO_CAPACITY].namespace,
        name=_NO_CAPACITY,
        statistic="Maximum",
        dimensions=dict(component_dimensions(component_name)),
    )
    return step_from_zero(metric, "the metric counts requests that failed because no copy was there")


def _rollout(
    stated: ComponentRollout,
    copy: CopyEstimate,
    timeout_s: int,
    alarms: Mapping[str, AlarmPlan],
    average_requests_per_second: float,
) -> ComponentRolloutPlan:
    share = stated.share_percent or batch_percent(copy.copies_at_average)
    # Their metrics are of all copies, old and new.
    watched = callbacks(alarms, average_requests_per_second)
    batches = wait_intervals("rolling", share)
    wait_interval_s = stated.wait_interval_s
    if wait_interval_s is None:
        wait_interval_s = usual_wait_s(watched, batches)
    return ComponentRolloutPlan(
        share_percent=share,
        wait_interval_s=wait_interval_s,
        # The artifact, then the container.
        max_execution_timeout_s=execution_timeout_s(batches * (2 * timeout_s + wait_interval_s)),
        alarms=in_time(watched, batches * wait_interval_s),
    )


def _fullest_gib(
    fleet: FleetEstimate, endpoint: InferenceComponentEndpoint, serving: Mapping[str, EndpointRequirements]
) -> float:
    """Return what the copies of one instance have on its disk: nobody says that those of one component share an artifact."""
    sizes = {
        key: artifact_size_gib(one.container, serving[key].model) for key, one in endpoint.components.items()
    }
    return max(sum(count * sizes[key] for key, count in one.items()) for one in fleet.placement)


def _instances_at_most(
    fleet: FleetEstimate, components: Mapping[str, ComponentPlan], serving: Mapping[str, EndpointRequirements]
) -> int:
    """Return how many instances hold the most copies."""
    most = {
        key: one.scaling.max_copy_count if one.scaling else one.initial_copy_count
        for key, one in components.items()
    }
    placed = place_copies(
        most,
        shares={key: one.share for key, one in fleet.components.items()},
        apart={key: one.min_instances for key, one in serving.items()},
        shares_per_instance=fleet.shares_per_instance,
    )
    return len(placed)


def _plan(stated: Stated) -> Planned:
    plan = plan_component_endpoint(*stated.planning_inputs, stated.locked)
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


FACET = PlanKind(rank=6, plan=_plan, name=ENDPOINT_NAME, remedies=lambda _: COMPONENT_REMEDIES)
