"""How many containers work off a queue of Amazon SQS, by what they scale, and which alarms watch it."""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from sizewell.config.policy import Policy
from sizewell.facts.regions import partition_of, url_suffix_of
from sizewell.instance_selection import EndpointRequirements, Measurement
from sizewell.planning.access import plan_access
from sizewell.planning.alarm_thresholds import evaluation_faults
from sizewell.planning.errors import PlanFault
from sizewell.planning.kind import Stated
from sizewell.planning.names import Names
from sizewell.planning.queue_alarms import plan_queue_alarms
from sizewell.planning.queue_scaling import backlog_target
from sizewell.planning.queued_fleet import QueuedFleet, answered_later, plan_queued_fleet, sleep_faults
from sizewell.targets.serving.on_ec2 import Replicas, ServedOnEc2, ec2_requirements
from sizewell.targets.serving.plan_model import QueuePlan, QueueWorkerPlan, ReplicaScalingPlan

#: The alarms whose metrics SQS publishes.
_WATCHED = ("age_of_oldest_request", "backlog_without_capacity")
#: The alarm whose metric SNS publishes, where no other workload publishes to the topics.
_WATCHED_BY_TOPICS = "invocation_failures"
#: Ours. The container, or its instance, may end in the middle of an answer: twice by chance, and then it is the request.
_MAX_RECEIVES = 3
#: Ours. A worker tells several times in it that it works on a request: a lost call or two do not give it to another one.
_VISIBILITY_TIMEOUT_S = 120
#: The counts of SQS are right a minute after the last message came:
#: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_GetQueueAttributes.html
COUNTED_AFTER_S = 60


def queue_requirements(
    endpoint: Any, policy: Policy, measurements: tuple[Measurement, ...] = (), *, empty_instance_s: float
) -> EndpointRequirements:
    """Return the needs of an endpoint behind a queue; an instance stays ``empty_instance_s`` after its container has gone."""
    needs = ec2_requirements(endpoint, policy, measurements)
    assert needs.queue is not None
    return replace(needs, queue=replace(needs.queue, idle_s=needs.queue.idle_s + empty_instance_s))


def watched_of_queue(stated: Stated) -> tuple[str, ...]:
    """Return the alarms whose metrics are there."""
    notifications = stated.workload.notifications
    is_shared = notifications.success_topic_arn or notifications.error_topic_arn
    return _WATCHED if is_shared else (*_WATCHED, _WATCHED_BY_TOPICS)


def replicas_of_queue(stated: Stated, served: ServedOnEc2, *, asked_for_s: float) -> Replicas:
    """Return the decisions; it takes ``asked_for_s`` from a request until more containers are asked for."""
    hosted, scaling = served.hosted, stated.workload.scaling
    fleet = plan_queued_fleet(stated.workload, hosted, stated.policy)
    target, derivation = backlog_target(
        max_wait_s=fleet.max_wait_s,
        requests_per_second=fleet.requests_per_second,
        answer_s=hosted.estimate.p95_latency_ms / 1000,
        concurrency=fleet.concurrency,
        asked_for_s=asked_for_s,
    )
    is_fixed = fleet.min_instances == fleet.max_instances
    alarms, _ = plan_queue_alarms(
        stated.workload.alarms,
        max_wait_s=fleet.max_wait_s,
        average_requests_per_second=served.average_requests_per_second,
    )
    return Replicas(
        average_count=max(
            fleet.min_instances, 0 if is_fixed else math.ceil(hosted.estimate.instances_at_average)
        ),
        scaling=None
        if is_fixed
        else ReplicaScalingPlan(
            min_instance_count=fleet.min_instances,
            max_instance_count=fleet.max_instances,
            signal="backlog",
            target_value=target,
            scale_out_cooldown_s=scaling.scale_out_cooldown_s,
            scale_in_cooldown_s=scaling.scale_in_cooldown_s,
            derivation=derivation,
        ),
        alarms={name: alarm for name, alarm in alarms.items() if name in watched_of_queue(stated)},
        max_concurrent_requests=fleet.concurrency,
        longest_answer_s=served.timeout_s,
    )


def queue_fields(stated: Stated, served: ServedOnEc2) -> dict[str, Any]:
    """Return what the plan says of the queue, and of who may send to it."""
    fleet = plan_queued_fleet(stated.workload, served.hosted, stated.policy)
    return {
        "queue": _plan_queue(stated, served, fleet),
        "access": plan_access(
            stated.workload.access, stated.names.account, served.hosted.needs, answer_s=fleet.answer_s
        ),
    }


def queue_faults(stated: Stated, plan: QueueWorkerPlan) -> Iterator[PlanFault]:
    """Yield where zero containers were asked for that would not wake in time, and what alarms may not be asked for."""
    answer_s = plan.selection.chosen.estimate.service_time_ms / 1000
    yield from sleep_faults(plan.name, stated.workload, answer_s, sleeps=plan.queue.sleeps)
    yield from evaluation_faults(("workloads", plan.name, "alarms"), plan.alarms)


def _plan_queue(stated: Stated, served: ServedOnEc2, fleet: QueuedFleet) -> QueuePlan:
    names, later = stated.names, answered_later(stated.name, stated.workload, served.hosted, fleet)
    name = names.workload(stated.name)
    return QueuePlan(
        **later,
        name=name,
        url=f"https://sqs.{names.region}.{url_suffix_of(names.region)}/{names.account}/{name}",
        answers_topic_arn=later["success_topic_arn"] or _topic_arn(names, f"{name}-answers"),
        failures_topic_arn=later["error_topic_arn"] or _topic_arn(names, f"{name}-failures"),
        max_receives=_MAX_RECEIVES,
        visibility_timeout_s=_VISIBILITY_TIMEOUT_S,
    )


def _topic_arn(names: Names, name: str) -> str:
    return f"arn:{partition_of(names.region)}:sns:{names.region}:{names.account}:{name}"
