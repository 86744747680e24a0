"""What is decided alike for a model on instances of EC2, whatever places its containers there: one container on each instance.

All accelerators of an instance are in one container, as in one of SageMaker, so that what is estimated of an instance holds.
Types of one shape can take each other's place: as many accelerators, or without any as many vCPUs. A container asks for what the
least of them leaves, and scales by what the slowest carries.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sizewell.config.policy import Policy
from sizewell.facts.models import Engine
from sizewell.facts.scaling import Signal
from sizewell.facts.serving_modes import Mode, limit
from sizewell.instance_selection import (
    Candidate,
    Catalog,
    EndpointEstimate,
    EndpointRequirements,
    HardwareKind,
    Measurement,
    Selection,
    select_endpoint_instance,
)
from sizewell.instance_selection.catalog import InstanceType, Usage
from sizewell.instance_selection.estimation.hardware import hardware_kind
from sizewell.planning.alarm_thresholds import plan_alarms
from sizewell.planning.digests import needs_digest
from sizewell.planning.endpoint_plan import (
    Hosted,
    artifact_size_gib,
    average_requests_per_second_of,
    batching_variables_of,
    startup_timeout_s,
)
from sizewell.planning.engines import engine_assumptions
from sizewell.planning.errors import PlanError, PlanFault
from sizewell.planning.instance_pools import MAX_POOLS, same_image_candidates
from sizewell.planning.kind import Stated, needs_of
from sizewell.planning.locked_selection import locked_pools, select_under_lock
from sizewell.planning.model_containers import Calls, container_assumptions, plan_model_container
from sizewell.planning.model_spec import model_assumptions
from sizewell.planning.names import stated_keys
from sizewell.planning.scaling import MAX_OVER_PEAK, three_digits
from sizewell.planning.scaling_targets import default_signal, derived_target
from sizewell.planning.workload_plan import AlarmPlan
from sizewell.targets.contract.proxy import STREAM_TIMEOUT_S
from sizewell.targets.served_plan_model import ReplicaScalingPlan

#: What the proxy beside a model counts: what a container may scale by, and the alarms that follow from it.
SIGNALS = (Signal.INVOCATIONS, Signal.CONCURRENCY)
_ALARMS = ("model_error_rate", "model_latency_p95", "model_latency_p99")
#: Where instances of more expensive types are launched, capacity must be missing in all cheaper ones.
_MOST_EXPENSIVE = 2.0
_SECONDS_PER_MINUTE = 60


@dataclass(frozen=True)
class ServedOnEc2:
    """The decisions."""

    hosted: Hosted
    types: tuple[InstanceType, ...]
    """Of the catalog that they were chosen from, the chosen one first."""
    kind: HardwareKind
    artifact_gib: float
    scaling: ReplicaScalingPlan | None
    """None where the number of containers is fixed."""
    initial_count: int
    """Containers at average load."""
    fields: Mapping[str, Any]
    """Of the plan, whatever runs it."""

    @property
    def longest_answer_s(self) -> int:
        """After what the proxy ends an answer, by its own limits: an engine of LLMs streams its tokens."""
        streams = self.hosted.needs.engine is Engine.LLM_ENGINE
        return STREAM_TIMEOUT_S if streams else int(limit(Mode.REAL_TIME, "max_processing_s"))

    @property
    def most_containers(self) -> int:
        """The largest number of containers, but for updates."""
        return self.scaling.max_instance_count if self.scaling else self.initial_count


def ec2_requirements(
    endpoint: Any, policy: Policy, measurements: tuple[Measurement, ...] = ()
) -> EndpointRequirements:
    """Return the needs of an endpoint on instances of EC2, whose names have no ``ml.``, without Savings Plans of SageMaker."""
    needs: EndpointRequirements = needs_of(endpoint, policy, measurements)
    pinned = needs.limits.instance_type
    return replace(
        needs,
        usage=Usage.EC2,
        limits=replace(needs.limits, instance_type=pinned and pinned.removeprefix("ml.")),
        savings_plan_discount_pct=0.0,
        measurements=tuple(
            replace(measured, instance_type=measured.instance_type.removeprefix("ml."))
            for measured in needs.measurements
        ),
    )


def serve_on_ec2(
    stated: Stated, catalog: Catalog, *assumptions: str, signals: Sequence[Signal] = SIGNALS
) -> ServedOnEc2:
    """Return the decisions for a workload in ``stated.cluster``, whose instances are those of a catalog.

    ``signals`` are what is counted of each container there, and it may scale by.

    Raises ``NoFeasibleInstanceError`` and, of its type, scaling and alarms, ``PlanError``.
    """
    endpoint, policy, names = stated.workload, stated.policy, stated.names
    needs = ec2_requirements(endpoint, policy, stated.measurements)
    _check_stated(stated, needs, catalog)
    digest = needs_digest(needs, region=policy.region, target=stated.cluster.type)
    selection, lock = select_under_lock(select_endpoint_instance, needs, catalog, stated.locked, digest)
    candidates = _alike(selection, catalog, locked_pools(stated.locked, lock))
    types = tuple(catalog.get(candidate.instance_type) for candidate in candidates)
    chosen = types[0]
    kind = hardware_kind(chosen)
    assert kind is not None, "the selection has an image for it"
    calls = Calls.of(endpoint.request, needs.queue)
    container = plan_model_container(endpoint.container, kind, names, calls)
    artifact_gib = artifact_size_gib(endpoint.container, needs.model)
    hosted = Hosted(
        needs,
        selection,
        tuple(candidate.estimate for candidate in candidates),
        chosen,
        min(instance_type.vcpus for instance_type in types),
        chosen.accelerator_count if kind is HardwareKind.CUDA else 0,
        startup_timeout_s(artifact_gib),
        {},
    )
    batching, batching_assumptions = batching_variables_of(
        endpoint, kind, selection.chosen.estimate.replicas_per_instance, calls.timeout_s
    )
    scaling = _plan_scaling(stated, hosted, signals)
    count = hosted.estimate.instances_at_average
    initial_count = min(count, scaling.max_instance_count) if scaling else count
    average = average_requests_per_second_of(needs, hosted.estimate)
    told = (
        *selection.assumptions,
        *batching_assumptions,
        *model_assumptions(endpoint.model),
        *engine_assumptions(endpoint),
        *container_assumptions(endpoint.container, kind, calls),
        *assumptions,
    )
    fields = {
        **stated_keys(stated.name, endpoint, names),
        "instance_type": chosen.name,
        "image": container["image"],
        "artifact_key": container["artifact_key"],
        "artifact_compression": container["artifact_compression"],
        "environment": dict(sorted((batching | container["environment"]).items())),
        "network_isolation": container["network_isolation"],
        "initial_instance_count": initial_count,
        "average_requests_per_second": average,
        # Beyond that, a request would not be answered in time.
        "max_concurrent_requests": math.ceil(hosted.capacity_requests_per_second * calls.timeout_s),
        "scaling": scaling,
        "alarms": _plan_alarms(endpoint, hosted, average),
        "instance_pools": tuple(instance_type.name for instance_type in types),
        "selection": selection.model_copy(update={"assumptions": told}),
        "needs_digest": digest,
        "lock": lock,
    }
    return ServedOnEc2(hosted, types, kind, artifact_gib, scaling, initial_count, fields)


def _alike(
    selection: Selection[EndpointEstimate], catalog: Catalog, locked: tuple[str, ...]
) -> tuple[Candidate[EndpointEstimate], ...]:
    """Return the types that take each other's place, the chosen one first: of its shape, and not much more expensive."""
    first = selection.chosen
    shape = _shape(catalog.get(first.instance_type))
    most_usd = (first.cost.usd_per_month or math.inf) * _MOST_EXPENSIVE
    others = (
        candidate
        for candidate in same_image_candidates(selection, catalog, locked)
        if _shape(catalog.get(candidate.instance_type)) == shape
        and (candidate.cost.usd_per_month or math.inf) <= most_usd
    )
    return tuple({candidate.instance_type: candidate for candidate in (first, *others)}.values())[:MAX_POOLS]


def _shape(instance_type: InstanceType) -> tuple[str, int]:
    """Return what types have in common of which a container fits each, and no two fit one."""
    return instance_type.cpu_architecture, instance_type.accelerator_count or -instance_type.vcpus


def _check_stated(stated: Stated, needs: EndpointRequirements, catalog: Catalog) -> None:
    """Raise the faults of a type that no cluster has, and of alarms that nothing counts there."""
    path, found = ("workloads", stated.name), []
    pinned = needs.limits.instance_type
    if pinned is not None and catalog.find(pinned) is None:
        found.append(
            PlanFault(
                (*path, "instances", "instance_type"),
                f'no instance type "{pinned}" of EC2 is known as a node of a cluster',
                "without the key, the needs decide",
            )
        )
    alarms = stated.workload.alarms
    found += [
        PlanFault(
            (*path, "alarms", name),
            "has no effect in a cluster: no metric of it is there",
            f"remove it; there are: {', '.join(_ALARMS)}",
        )
        for name in type(alarms).model_fields
        if name not in _ALARMS and getattr(alarms, name).stated - {"off_because"}
    ]
    if found:
        raise PlanError(tuple(found))


def _plan_alarms(endpoint: Any, hosted: Hosted, average: float) -> dict[str, AlarmPlan]:
    alarms, _ = plan_alarms(endpoint, endpoint.alarms, hosted.gpu_count, average)
    return {name: alarm for name, alarm in alarms.items() if name in _ALARMS}


def _plan_scaling(stated: Stated, hosted: Hosted, signals: Sequence[Signal]) -> ReplicaScalingPlan | None:
    """Return how containers scale; None where their number is fixed. Raises ``PlanError``."""
    scaling, needs, at_peak = stated.workload.scaling, hosted.needs, hosted.instances_at_peak
    path = ("workloads", stated.name, "scaling", "track")
    most = scaling.max_instances or max(
        at_peak, min(stated.policy.max_endpoint_instances, math.ceil(at_peak * MAX_OVER_PEAK))
    )
    tracked = scaling.track
    if most <= needs.min_instances:
        return None
    if tracked is not None and (len(tracked) != 1 or not tracked.keys() <= set(signals)):
        reason = f"in this cluster, containers follow {' or '.join(signals)}"
        raise PlanError((PlanFault(path, reason, "track one of them, or leave it to the plan"),))
    usual = default_signal(hosted)
    signal = Signal(next(iter(tracked))) if tracked else usual if usual in signals else signals[0]
    value = tracked[signal].target if tracked else None
    derivation = "stated"
    if value is None:
        derived = derived_target(signal, hosted)
        if isinstance(derived, str):
            raise PlanError((PlanFault((*path, signal), derived, "state target, or track invocations"),))
        value, derivation = derived
    if signal is Signal.INVOCATIONS:
        value, derivation = value / _SECONDS_PER_MINUTE, derivation.removesuffix(", x 60 s")
    return ReplicaScalingPlan(
        min_instance_count=needs.min_instances,
        max_instance_count=most,
        signal="concurrency" if signal is Signal.CONCURRENCY else "invocations",
        target_value=three_digits(value),
        scale_out_cooldown_s=scaling.scale_out_cooldown_s,
        scale_in_cooldown_s=scaling.scale_in_cooldown_s,
        derivation=derivation,
    )
