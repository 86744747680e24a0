"""The decisions for one asynchronous endpoint: a fleet that works off a queue, and sleeps where the wait allows it."""

import math
from collections.abc import Iterator, Mapping

from sizewell.facts.asynchronous import MAX_PROCESSING_S, MAX_TIME_IN_QUEUE_S, MIN_TIME_IN_QUEUE_S
from sizewell.facts.serving_features import ServedAs
from sizewell.facts.serving_modes import Mode, limit
from sizewell.kinds.asynchronous_endpoint.alarms import asynchronous_alarm_faults
from sizewell.kinds.asynchronous_endpoint.config import AsynchronousEndpoint
from sizewell.kinds.asynchronous_endpoint.needs import asynchronous_requirements
from sizewell.planning.api_gateway import api_gateway_faults
from sizewell.planning.endpoint_plan import Hosted, plan_hosted
from sizewell.planning.endpoint_plan_model import AsynchronousPlan, EndpointPlan, ScalingPlan
from sizewell.planning.errors import PlanFault
from sizewell.planning.features import ENDPOINT_FEATURES
from sizewell.planning.instance_pools import pool_faults
from sizewell.planning.interface_endpoints import services_of_endpoint
from sizewell.planning.kind import PlanKind, Planned, Stated
from sizewell.planning.legality import legality_faults
from sizewell.planning.name_limits import ENDPOINT_NAME
from sizewell.planning.queue_alarms import plan_queue_alarms
from sizewell.planning.queue_scaling import track_backlog, wake_from_zero
from sizewell.planning.queued_fleet import QueuedFleet, answered_later, plan_queued_fleet, sleep_faults
from sizewell.planning.remedies import ENDPOINT_REMEDIES, Remedy
from sizewell.planning.rollout import plan_rollout, rollback_alarms
from sizewell.planning.scaling_schedules import plan_scheduled_actions


def plan_asynchronous_endpoint(stated: Stated) -> EndpointPlan:
    """Return the plan of an endpoint with a queue, on its locked type while that is feasible.

    Raises ``NoFeasibleInstanceError`` and ``UnknownInstanceTypeError``.
    """
    endpoint: AsynchronousEndpoint = stated.workload
    name, policy, names = stated.name, stated.policy, stated.names
    needs = asynchronous_requirements(endpoint, policy, stated.measurements)
    hosted = plan_hosted(
        stated,
        needs,
        routing=endpoint.routing,
        pools=endpoint.instance_pools,
    )
    fleet = plan_queued_fleet(endpoint, hosted, policy)
    asynchronous = _asynchronous(name, endpoint, hosted, fleet)
    scaling = _scaling(names.workload(name), endpoint, hosted, fleet, sleeps=asynchronous.sleeps)
    # The API makes an endpoint with one instance at least; autoscaling lets it sleep then.
    instance_count = max(1, min(hosted.estimate.instances_at_average, scaling.max_instance_count))
    alarms, alarms_off = plan_queue_alarms(
        endpoint.alarms,
        max_wait_s=fleet.max_wait_s,
        average_requests_per_second=endpoint.traffic.average_requests_per_second,
    )
    average = endpoint.traffic.average_requests_per_second
    rollout = None
    if scaling.fewest_instances > 1:
        rollout = plan_rollout(
            hosted.instance_type, instance_count, hosted.startup_timeout_s, alarms, average
        )
    return EndpointPlan(
        **hosted.fields,
        initial_instance_count=max(instance_count, scaling.min_instance_count),
        average_requests_per_second=average,
        scaling=scaling,
        alarms=alarms,
        alarms_off=alarms_off,
        rollout=rollout,
        rollback_alarms=rollback_alarms(rollout, alarms, average),
        asynchronous=asynchronous,
    )


def asynchronous_faults(endpoint: AsynchronousEndpoint, plan: EndpointPlan) -> Iterator[PlanFault]:
    """Yield what a queue cannot take, and where zero instances were asked for that would not wake in time."""
    path = ("workloads", plan.name)
    most_mb = limit(Mode.ASYNCHRONOUS, "max_payload_mb")
    for key in ("payload_mb", "response_mb"):
        size_mb = getattr(endpoint.request, key)
        if size_mb is not None and size_mb > most_mb:
            yield PlanFault(
                (*path, "request", key),
                f"is {size_mb:g} MB, but an asynchronous endpoint takes {most_mb:g} MB at most (1 GB)",
                "split what a request holds, or put the data into S3 and send its place",
            )
    asynchronous = plan.asynchronous
    assert asynchronous is not None
    answer_s = plan.selection.chosen.estimate.service_time_ms / 1000
    yield from sleep_faults(plan.name, endpoint, answer_s, sleeps=asynchronous.sleeps)


def _asynchronous(
    name: str, endpoint: AsynchronousEndpoint, hosted: Hosted, fleet: QueuedFleet
) -> AsynchronousPlan:
    return AsynchronousPlan(
        **answered_later(name, endpoint, hosted, fleet),
        max_concurrent_invocations_per_instance=fleet.concurrency,
        request_ttl_s=max(MIN_TIME_IN_QUEUE_S, min(MAX_TIME_IN_QUEUE_S, math.ceil(fleet.max_wait_s))),
    )


def _scaling(
    endpoint_name: str, endpoint: AsynchronousEndpoint, hosted: Hosted, fleet: QueuedFleet, *, sleeps: bool
) -> ScalingPlan:
    scaling, least, most = endpoint.scaling, fleet.min_instances, fleet.max_instances
    track = track_backlog(
        endpoint_name,
        max_wait_s=fleet.max_wait_s,
        requests_per_second=fleet.requests_per_second,
        answer_s=hosted.estimate.p95_latency_ms / 1000,
        concurrency=fleet.concurrency,
        scale_out_cooldown_s=scaling.scale_out_cooldown_s,
        scale_in_cooldown_s=scaling.scale_in_cooldown_s,
    )
    return ScalingPlan(
        min_instance_count=least,
        max_instance_count=most,
        policies=(track, wake_from_zero(endpoint_name)) if sleeps else (track,),
        scheduled_actions=plan_scheduled_actions(scaling.schedules, least, most),
    )


def _plan(stated: Stated) -> Planned:
    plan = plan_asynchronous_endpoint(stated)
    return plan, (
        *legality_faults(plan, stated.catalog),
        *pool_faults(stated.name, plan.provisioned_pools),
        *asynchronous_faults(stated.workload, plan),
        *asynchronous_alarm_faults(plan),
        *api_gateway_faults(stated.name, stated.workload, plan),
    )


#: For each filter of the selection behind a queue, where they differ from those of an endpoint.
QUEUE_REMEDIES = {
    **ENDPOINT_REMEDIES,
    "autoscaling": Remedy(
        ("instances",), "use a type that is not burstable: one that is can neither sleep nor follow the queue"
    ),
    "latency": Remedy(
        ("latency", "max_wait_minutes"), "allow more minutes, shorten the request or use a faster engine"
    ),
    "budget": Remedy(
        ("max_usd_per_month",), "raise max_usd_per_month, allow more minutes or plan for less traffic"
    ),
}
#: Where the hour that an invocation may take is what is missed, no longer wait helps.
_ENDED = Remedy(
    ("request",),
    f"SageMaker ends an invocation after {MAX_PROCESSING_S / 60:g} minutes: shorten the request, or use a faster engine",
)


def _remedies(endpoint: AsynchronousEndpoint) -> Mapping[str, Remedy]:
    ended = endpoint.latency.max_wait_minutes * 60 >= MAX_PROCESSING_S
    return {**QUEUE_REMEDIES, **({"latency": _ENDED} if ended else {})}


FACET = PlanKind(
    plan=_plan,
    name=ENDPOINT_NAME,
    remedies=_remedies,
    served_as=lambda _: ServedAs.ASYNCHRONOUS,
    features=ENDPOINT_FEATURES,
    services=services_of_endpoint,
    needs=asynchronous_requirements,
)
