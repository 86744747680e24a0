"""The decisions for one asynchronous endpoint: a fleet that works off a queue, and sleeps where the wait allows it."""

import math
from collections.abc import Iterator, Mapping

from sizewell.config.policy import Policy
from sizewell.facts.asynchronous import (
    MAX_CONCURRENT_INVOCATIONS,
    MAX_PROCESSING_S,
    MAX_TIME_IN_QUEUE_S,
    MIN_TIME_IN_QUEUE_S,
    WAKE_S,
)
from sizewell.facts.serving_features import ServedAs
from sizewell.facts.serving_modes import Mode, limit
from sizewell.instance_selection import Engine
from sizewell.kinds.asynchronous_endpoint.alarms import asynchronous_alarm_faults, plan_asynchronous_alarms
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
from sizewell.planning.model_containers import Calls
from sizewell.planning.name_limits import ENDPOINT_NAME
from sizewell.planning.queue_scaling import track_backlog, wake_from_zero
from sizewell.planning.remedies import ENDPOINT_REMEDIES, Remedy
from sizewell.planning.rollout import plan_rollout, rollback_alarms
from sizewell.planning.scaling import MAX_OVER_PEAK
from sizewell.planning.scaling_schedules import plan_scheduled_actions
from sizewell.planning.workload_plan import INFERENCE_PREFIX


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
    asynchronous = _asynchronous(name, endpoint, hosted)
    scaling = _scaling(names.workload(name), endpoint, hosted, policy, asynchronous)
    # The API makes an endpoint with one instance at least; autoscaling lets it sleep then.
    instance_count = max(1, min(hosted.estimate.instances_at_average, scaling.max_instance_count))
    alarms, alarms_off = plan_asynchronous_alarms(endpoint)
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
    asynchronous, scaling = plan.asynchronous, endpoint.scaling
    assert asynchronous is not None
    if asynchronous.sleeps:
        return
    zero: list[tuple[str, ...]] = [("scaling",)] if scaling.min_instances == 0 else []
    zero += [
        ("scaling", "schedules", key)
        for key, schedule in scaling.schedules.items()
        if schedule.min_instances == 0
    ]
    answer_s = plan.selection.chosen.estimate.service_time_ms / 1000
    for place in zero:
        yield PlanFault(
            (*path, *place, "min_instances"),
            f"is 0, but an instance takes {WAKE_S / 60:g} minutes to start and {answer_s:,.1f} s for an answer, and "
            f"latency.max_wait_minutes is {endpoint.latency.max_wait_minutes:g}",
            "write min_instances: 1, or raise latency.max_wait_minutes above "
            f"{math.ceil((WAKE_S + answer_s) / 6) / 10:g}",
        )


def _asynchronous(name: str, endpoint: AsynchronousEndpoint, hosted: Hosted) -> AsynchronousPlan:
    queue, estimate = hosted.needs.queue, hosted.estimate
    assert queue is not None
    answer_s = estimate.service_time_ms / 1000
    can_sleep = queue.leaves_time_to_wake(answer_s)
    stated = [
        endpoint.scaling.min_instances,
        *(schedule.min_instances for schedule in endpoint.scaling.schedules.values()),
    ]
    keeps = endpoint.scaling.min_instances
    times = (
        f"an instance takes {WAKE_S / 60:g} minutes to start and {answer_s:,.1f} s for an answer, and "
        f"{queue.max_wait_s / 60:g} minutes may be waited"
    )
    if not can_sleep:
        why = f"one instance stays without work: {times}"
    elif keeps:
        why = f"scaling.min_instances keeps {keeps} without work; they could sleep, as {times}"
    else:
        why = f"they sleep without work: {times}"
    return AsynchronousPlan(
        input_prefix=f"{INFERENCE_PREFIX}{name}/input/",
        output_prefix=f"{INFERENCE_PREFIX}{name}/output/",
        failure_prefix=f"{INFERENCE_PREFIX}{name}/failure/",
        success_topic_arn=endpoint.notifications.success_topic_arn,
        error_topic_arn=endpoint.notifications.error_topic_arn,
        max_concurrent_invocations_per_instance=_concurrency(hosted),
        max_wait_s=queue.max_wait_s,
        invocation_timeout_s=Calls.of(endpoint.request, queue).timeout_s,
        request_ttl_s=max(MIN_TIME_IN_QUEUE_S, min(MAX_TIME_IN_QUEUE_S, math.ceil(queue.max_wait_s))),
        sleeps=can_sleep and (not keeps or 0 in stated),
        why=why,
    )


def _concurrency(hosted: Hosted) -> int:
    """Return how many requests one instance works on at a time: the container must not get more than it can begin with."""
    needs, estimate = hosted.needs, hosted.estimate
    each = needs.batching.max_batch_size if needs.batching else 1
    at_once = (
        estimate.capacity_concurrency
        if needs.engine is Engine.LLM_ENGINE
        else estimate.replicas_per_instance * each
    )
    return max(1, min(at_once, MAX_CONCURRENT_INVOCATIONS))


def _scaling(
    endpoint_name: str,
    endpoint: AsynchronousEndpoint,
    hosted: Hosted,
    policy: Policy,
    asynchronous: AsynchronousPlan,
) -> ScalingPlan:
    scaling, estimate, needs = endpoint.scaling, hosted.estimate, hosted.needs
    queue = needs.queue
    assert queue is not None
    per_instance = hosted.capacity_requests_per_second * (1 - needs.headroom)
    at_peak = math.ceil(endpoint.traffic.peak_requests_per_second / per_instance - 1e-9)
    can_sleep = queue.leaves_time_to_wake(estimate.service_time_ms / 1000)
    least = (0 if can_sleep else 1) if scaling.min_instances is None else scaling.min_instances
    most = scaling.max_instances or min(
        policy.max_endpoint_instances, math.ceil(max(1, at_peak, least) * MAX_OVER_PEAK)
    )
    track = track_backlog(
        endpoint_name,
        max_wait_s=queue.max_wait_s,
        requests_per_second=per_instance,
        answer_s=estimate.p95_latency_ms / 1000,
        concurrency=asynchronous.max_concurrent_invocations_per_instance,
        scale_out_cooldown_s=scaling.scale_out_cooldown_s,
        scale_in_cooldown_s=scaling.scale_in_cooldown_s,
    )
    return ScalingPlan(
        min_instance_count=least,
        max_instance_count=max(least, most),
        policies=(track, wake_from_zero(endpoint_name)) if asynchronous.sleeps else (track,),
        scheduled_actions=plan_scheduled_actions(scaling.schedules, least, max(least, most)),
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
