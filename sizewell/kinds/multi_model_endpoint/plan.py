"""The decisions for one multi-model endpoint: how many models an instance keeps in memory, and what follows from that."""

from collections.abc import Iterator
from dataclasses import replace

from sizewell.config.endpoint import MAX_INVOCATION_MS
from sizewell.config.scaling import Scaling, ScalingSchedule
from sizewell.facts.models import Engine
from sizewell.facts.multi_model import workers_variable
from sizewell.facts.serving_features import ServedAs
from sizewell.instance_selection import HardwareKind
from sizewell.instance_selection.estimation.hardware import hardware_kind
from sizewell.instance_selection.multi_model_filters import loaded_estimate
from sizewell.instance_selection.results import LoadedEstimate
from sizewell.kinds.multi_model_endpoint.config import MultiModelEndpoint
from sizewell.kinds.multi_model_endpoint.needs import multi_model_requirements
from sizewell.planning.alarm_thresholds import (
    SILENCE_PERCENT,
    alarm_faults,
    default_thresholds,
    stated_alarms,
)
from sizewell.planning.api_gateway import api_gateway_faults
from sizewell.planning.endpoint_plan import (
    Hosted,
    artifact_size_gib,
    average_requests_per_second_of,
    plan_fleet,
    plan_hosted,
)
from sizewell.planning.endpoint_plan_model import EndpointPlan, MultiModelPlan
from sizewell.planning.engines import engine_of
from sizewell.planning.errors import PlanError, PlanFault
from sizewell.planning.features import ENDPOINT_FEATURES
from sizewell.planning.interface_endpoints import services_of_endpoint
from sizewell.planning.kind import PlanKind, Planned, Stated
from sizewell.planning.legality import legality_faults
from sizewell.planning.name_limits import ENDPOINT_NAME
from sizewell.planning.remedies import ENDPOINT_REMEDIES
from sizewell.planning.rollout import rollout_faults
from sizewell.planning.translate import image_for
from sizewell.planning.volumes import endpoint_volume_size_gib

#: Of 100 requests 95 must keep the objective: fewer hits miss it, where a load alone takes longer. A plan may allow fewer.
CACHE_HIT_PERCENT = 95.0
#: A load takes so many times what is predicted: something is wrong.
LOAD_OVER_PREDICTED = 2.0


def plan_multi_model_endpoint(stated: Stated) -> EndpointPlan:
    """Return the plan of an endpoint of many models, on its locked type while that is feasible.

    Raises ``NoFeasibleInstanceError``, ``UnknownInstanceTypeError``, and ``PlanError`` for an engine that holds one model.
    """
    endpoint: MultiModelEndpoint = stated.workload
    name, policy, catalog, names = stated.name, stated.policy, stated.catalog, stated.names
    if engine_of(endpoint) is Engine.LLM_ENGINE:
        reason = "its images are of an llm-engine, which keeps one model in memory"
        raise PlanError((PlanFault(("workloads", name, "container"), reason, "name another image"),))
    needs = multi_model_requirements(endpoint, policy, stated.measurements)
    hosted = plan_hosted(
        stated,
        needs,
    )
    loaded = loaded_estimate(needs, catalog, hosted.instance_type.name)
    # With fewer instances, too many requests would wait for a load, however few there are.
    needs = replace(needs, min_instances=max(needs.min_instances, loaded.fewest_instances))
    hosted = replace(hosted, needs=needs)
    average = average_requests_per_second_of(needs, hosted.estimate)
    alarms, alarms_off = stated_alarms(endpoint.alarms, _thresholds(endpoint, hosted, loaded), average)
    fleet = plan_fleet(name, endpoint.scaling, endpoint.rollout, hosted, policy, names, alarms)
    return EndpointPlan(
        **{**hosted.fields, **fleet, **_files(endpoint, hosted, loaded)},
        alarms=alarms,
        alarms_off=alarms_off,
        multi_model=MultiModelPlan(
            count=endpoint.models.count,
            cache=endpoint.models.cache,
            workers_per_model=endpoint.models.workers_per_model,
            loaded=loaded,
        ),
    )


def multi_model_faults(endpoint: MultiModelEndpoint, plan: EndpointPlan) -> Iterator[PlanFault]:
    """Yield more processes than the server of a model starts, and bounds of scaling that hold too few models."""
    assert plan.multi_model is not None
    assert plan.image is not None, "many models have no model package"
    loaded, path = plan.multi_model.loaded, ("workloads", plan.name)
    repository = plan.image.repository_arn.partition(":repository/")[2]
    if endpoint.models.workers_per_model > 1 and (plan.gpu_count or workers_variable(repository) is None):
        yield PlanFault(
            (*path, "models", "workers_per_model"),
            f"is {endpoint.models.workers_per_model}, but {repository} on {plan.instance_type} serves each model by one process",
            "write workers_per_model: 1",
        )
    places: list[tuple[tuple[str, ...], Scaling | ScalingSchedule]] = [(("scaling",), endpoint.scaling)]
    places += [
        (("scaling", "schedules", name), schedule) for name, schedule in endpoint.scaling.schedules.items()
    ]
    for place, bounds in places:
        key = "max_instances" if bounds.min_instances is None else "min_instances"
        count = getattr(bounds, key)
        if count is not None and count < loaded.fewest_instances:
            yield PlanFault(
                (*path, *place, key),
                f"leaves {count} instance(s), which keep {count * loaded.per_instance:,} of {endpoint.models.count:,} models in "
                f"memory: too many requests would wait {loaded.load_s:.3g} s for a load, however few there are",
                f"leave {loaded.fewest_instances} instances at least, or allow more milliseconds",
            )


def _files(endpoint: MultiModelEndpoint, hosted: Hosted, loaded: LoadedEstimate) -> dict[str, object]:
    """Return the disk, which holds what the memory does, and the variables, with the processes of each model."""
    fields = hosted.fields
    volume_size_gib = fields["volume_size_gib"]
    if volume_size_gib is not None:
        artifact_gib = artifact_size_gib(endpoint.container, hosted.needs.model)
        volume_size_gib = endpoint_volume_size_gib(artifact_gib * loaded.per_instance)
    kind = hardware_kind(hosted.instance_type)
    assert kind is not None
    variable = workers_variable(image_for(endpoint.container.images, kind).repository)
    workers = (
        {}
        if kind is HardwareKind.CUDA or not variable
        else {variable: str(endpoint.models.workers_per_model)}
    )
    environment = fields["environment"] | workers
    return {"volume_size_gib": volume_size_gib, "environment": dict(sorted(environment.items()))}


def _thresholds(
    endpoint: MultiModelEndpoint, hosted: Hosted, loaded: LoadedEstimate
) -> dict[str, float | str]:
    latency, load_ms = endpoint.latency, loaded.load_s * 1000
    thresholds = dict(default_thresholds(endpoint, latency, engine_of(endpoint), hosted.gpu_count))
    if loaded.per_instance < endpoint.models.count:
        full = "models stay until others need the room: a full one is healthy. State above_percent for an alarm all the same"
        thresholds |= {
            name: full
            for name in ("memory_utilization", "gpu_memory_utilization", "disk_utilization")
            if name in thresholds
        }
        # What else would tell that no instance reports any more?
        thresholds["cpu_utilization"] = SILENCE_PERCENT
    # SageMaker ends a call after a minute: what is above must be left to be exceeded.
    thresholds["model_loading_wait_time"] = min(
        latency.max_cold_ms, LOAD_OVER_PREDICTED * load_ms, (load_ms + MAX_INVOCATION_MS) / 2
    )
    thresholds["model_cache_hit"] = (
        min(CACHE_HIT_PERCENT, round(100 * (1 - LOAD_OVER_PREDICTED * loaded.miss_share), 1))
        if load_ms > latency.max_p95_ms
        else "a load alone is faster than latency.max_p95_ms: state below_percent for an alarm all the same"
    )
    return thresholds


def _plan(stated: Stated) -> Planned:
    plan = plan_multi_model_endpoint(stated)
    return plan, (
        *legality_faults(plan, stated.catalog),
        *multi_model_faults(stated.workload, plan),
        *rollout_faults(stated.name, stated.workload.rollout, plan),
        *alarm_faults(stated.workload.alarms, plan),
        *api_gateway_faults(stated.name, stated.workload, plan),
    )


FACET = PlanKind(
    plan=_plan,
    name=ENDPOINT_NAME,
    remedies=lambda _: ENDPOINT_REMEDIES,
    served_as=lambda _: ServedAs.MULTI_MODEL,
    features=ENDPOINT_FEATURES,
    services=services_of_endpoint,
    needs=multi_model_requirements,
)
