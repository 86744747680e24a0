"""An asynchronous endpoint: requests wait in a queue, and answers are written to S3."""

from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from sizewell.config.access import ON_ACCESS, Access
from sizewell.config.alarms import Alarm, ErrorRateAlarm, UtilizationAlarm
from sizewell.config.arn_rules import elsewhere
from sizewell.config.base import (
    ON_MAX_INSTANCES,
    ON_TIME_LIMIT,
    ConfigModel,
    InstanceCount,
    Name,
    fault,
)
from sizewell.config.effects import Below, OnChange, OnFactor, OnNumber, SelectionNeed
from sizewell.config.endpoint_rules import member_violations
from sizewell.config.environment import Environment
from sizewell.config.existing import TopicArn
from sizewell.config.fleet_settings import RoutedFleet
from sizewell.config.instance_pools import ON_INSTANCE_POOLS, InstancePools
from sizewell.config.kind import ConfigKind
from sizewell.config.request_members import Violation
from sizewell.config.scaling import (
    MAX_SCHEDULES,
    ON_SCHEDULE,
    Cooldown,
    Headroom,
    ScheduleMoment,
    check_order,
    check_schedules,
)
from sizewell.config.served_model import EndpointOnInstances
from sizewell.config.spot import ServedOnSpot, spot_violations
from sizewell.config.traffic import RequestTraffic
from sizewell.facts.asynchronous import MAX_PROCESSING_S, MAX_TIME_IN_QUEUE_S

#: A request may wait in the queue, and then be worked on, no longer than that.
MAX_WAIT_MINUTES = (MAX_TIME_IN_QUEUE_S + MAX_PROCESSING_S) / 60
#: Zero instances: a fleet that sleeps.
SleepingCount = Annotated[int, Field(ge=0, le=10_000)]
_ON_MIN_INSTANCES = OnNumber(
    "fewer instances stay without work: the next request waits for a start",
    "more instances stay without work, and are paid for",
)
_ON_THRESHOLD = OnNumber("the alarm is stricter", "the alarm is looser")

#: Keys of real-time endpoints that people write here by habit, by their path in the workload, with what to write instead.
MISPLACED_KEYS = {
    **dict.fromkeys(
        ("latency.max_p95_ms", "latency.max_p99_ms"),
        "nobody waits for an answer of a queue: write max_wait_minutes, from the request to its answer in S3",
    ),
    **dict.fromkeys(
        ("latency.max_time_to_first_token_ms", "latency.max_inter_token_ms"),
        "an answer comes as a whole, in S3: write max_wait_minutes; kind: real-time-endpoint streams",
    ),
    **{
        f"traffic.{load}_concurrent_users": f"nobody waits for an answer of a queue: write {load}_requests_per_second, what "
        "all of them send"
        for load in ("peak", "average")
    },
    "pipeline": "an asynchronous endpoint runs one container: put the steps into its image, or write kind: real-time-endpoint "
    "or batch-transform",
    "mode": "kind: asynchronous-endpoint says how it is served; remove the key",
}


class AsynchronousLatency(ConfigModel):
    """How much later an answer may come."""

    max_wait_minutes: Annotated[
        float, Field(ge=0.01, le=MAX_WAIT_MINUTES), ON_TIME_LIMIT, SelectionNeed.BOUND
    ]
    """Minutes from a request to its answer: in the queue, six hours at most, and in the model, an hour at most. A wait that
    leaves time for the start of an instance lets the endpoint sleep."""


class AsynchronousSchedule(ScheduleMoment):
    """Bounds that hold from a moment of the week until the next schedule begins."""

    min_instances: SleepingCount | None = None
    """The least number of instances from then on, 0 lets them sleep; by default that of scaling."""
    max_instances: InstanceCount | None = None
    """The largest number of instances from then on, 1 at least: kept at zero, requests would wait for the next schedule; by
    default that of scaling."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        check_order(self.min_instances, self.max_instances)
        return self


class AsynchronousScaling(ConfigModel):
    """How the number of instances follows the queue, and the clock."""

    min_instances: Annotated[SleepingCount | None, _ON_MIN_INSTANCES, SelectionNeed.SCALING] = None
    """The least number of instances (MinCapacity). By default 0: they sleep while the queue is empty; 1 where
    latency.max_wait_minutes leaves no time for the start of an instance."""
    max_instances: Annotated[InstanceCount | None, ON_MAX_INSTANCES, SelectionNeed.SCALING] = None
    """The largest number of instances (MaxCapacity), at most the policy's max_endpoint_instances; by default one and a
    half times what the peak load needs. What comes above waits in the queue."""
    schedules: Annotated[
        dict[Name, AsynchronousSchedule], Field(max_length=MAX_SCHEDULES), ON_SCHEDULE, SelectionNeed.SCALING
    ] = {}
    """Bounds that hold from a moment of the week on (ScheduledActions), by a name of yours."""
    headroom: Headroom = 0.3
    """The share of an instance's capacity that stays free, so that a queue that has grown can shrink."""
    scale_out_cooldown_s: Cooldown = 60
    """Seconds after adding instances before more are added (ScaleOutCooldown)."""
    scale_in_cooldown_s: Cooldown = 600
    """Seconds after removing instances before more are removed (ScaleInCooldown): how long they stay awake without work."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        check_order(self.min_instances, self.max_instances)
        return self

    @model_validator(mode="after")
    def _one_schedule_at_a_time(self) -> Self:
        check_schedules(self, self.schedules)
        return self


def _on_topic(what: str) -> OnChange:
    return OnChange(
        changed=f"another topic hears of {what}",
        added=f"a topic of the account hears of {what}, and ours goes: its subscriptions with it",
        removed=f"a topic of our own hears of {what}",
    )


class AsynchronousNotifications(ConfigModel):
    """Which topics callers listen to for their answers."""

    success_topic_arn: Annotated[TopicArn | None, _on_topic("answers")] = None
    """The ARN of the standard (not FIFO) SNS topic, in the account and region, that hears of each answer; by default one is
    made, encrypted."""
    error_topic_arn: Annotated[TopicArn | None, _on_topic("requests that failed")] = None
    """The same of each request that failed."""


class CountAlarm(Alarm):
    """An alarm on a number of requests."""

    above_count: Annotated[Annotated[int, Field(ge=0, le=1_000_000)] | None, _ON_THRESHOLD] = None
    """The alarm goes off above so many in a period; by default 0: any."""


class AgeAlarm(Alarm):
    """An alarm on how long a request has waited."""

    above_minutes: Annotated[Annotated[float, Field(gt=0, lt=MAX_WAIT_MINUTES)] | None, _ON_THRESHOLD] = None
    """The alarm goes off above these minutes; by default latency.max_wait_minutes."""


class AsynchronousAlarms(ConfigModel):
    """The alarms of an asynchronous endpoint, on the metrics that it publishes."""

    age_of_oldest_request: AgeAlarm = AgeAlarm()
    """How long the oldest request has waited (ApproximateAgeOfOldestRequest)."""
    backlog_without_capacity: Alarm = Alarm()
    """Requests wait, and no instance is there for twice the time that one takes to start (HasBacklogWithoutCapacity)."""
    invocation_failures: ErrorRateAlarm = ErrorRateAlarm()
    """Requests that failed, such as a file that nobody can read (InvocationFailures); by default 2.5 percent."""
    expired_requests: CountAlarm = CountAlarm()
    """Requests that were dropped because they waited for too long (ExpiredRequests)."""
    response_upload_failures: CountAlarm = CountAlarm()
    """Answers that could not be written to S3, for want of a permission or of the key (ResponseUploadFailures)."""
    notification_failures: CountAlarm = CountAlarm()
    """Answers and failures that no topic could be told of (NotificationFailures)."""
    memory_utilization: UtilizationAlarm = UtilizationAlarm()
    """Memory of the fullest instance (MemoryUtilization); instances that sleep report nothing, which is no fault."""
    disk_utilization: UtilizationAlarm = UtilizationAlarm()
    """Disk of the fullest instance (DiskUtilization)."""


class AsynchronousEndpoint(ServedOnSpot, RoutedFleet, EndpointOnInstances):
    """An endpoint with a queue: answers come later, in S3, and instances sleep while nobody asks."""

    misplaced_keys: ClassVar[Mapping[str, str]] = MISPLACED_KEYS

    kind: Literal["asynchronous-endpoint"]
    """The workload is a SageMaker endpoint with a queue, which answers later, in S3."""
    traffic: Annotated[RequestTraffic, Below(OnFactor()), SelectionNeed.LOAD]
    """How much arrives: requests per second. The queue takes what comes above what the instances carry."""
    latency: AsynchronousLatency
    """How much later an answer may come."""
    access: Annotated[Access | None, ON_ACCESS] = None
    """Who may invoke it, put requests into S3 and read the answers; by default nobody is given the permission."""
    scaling: AsynchronousScaling = AsynchronousScaling()
    """How the number of instances follows the queue, and the clock."""
    instance_pools: Annotated[InstancePools | None, ON_INSTANCE_POOLS] = None
    """Other instance types for when there is no capacity for the best one; by default a deployment fails then."""
    notifications: AsynchronousNotifications = AsynchronousNotifications()
    """Which topics callers listen to for their answers; by default two are made."""
    alarms: AsynchronousAlarms = AsynchronousAlarms()
    """When each alarm goes off, or why it is off."""

    @model_validator(mode="after")
    def _batch_leaves_time(self) -> Self:
        wait_ms = self.latency.max_wait_minutes * 60_000
        if self.batching is not None and self.batching.max_delay_ms >= wait_ms:
            raise fault(
                "batching.max_delay_ms",
                f"is {self.batching.max_delay_ms}, which leaves nothing of max_wait_minutes "
                f"({self.latency.max_wait_minutes:g}): a request that comes alone waits all of it",
            )
        return self


def asynchronous_violations(
    environment: Environment, name: str, endpoint: AsynchronousEndpoint
) -> Iterator[Violation]:
    """Yield every violation, in the order of the keys.

    The policy's least number of instances does not hold: a queue loses no request while no instance is there.
    """
    most_of_all = environment.policy.max_endpoint_instances
    scaling, path = endpoint.scaling, ("workloads", name, "scaling")
    places = [
        (path, scaling),
        *(((*path, "schedules", key), schedule) for key, schedule in scaling.schedules.items()),
    ]
    for place, bounds in places:
        for key in ("min_instances", "max_instances"):
            count = getattr(bounds, key)
            if count is not None and count > most_of_all:
                yield (
                    (*place, key),
                    f"{count} instances, but policy.max_endpoint_instances is {most_of_all}",
                )
    for key, own in scaling.schedules.items():
        # What a schedule does not state is that of scaling.
        least = scaling.min_instances if own.min_instances is None else own.min_instances
        most = own.max_instances or scaling.max_instances
        if least is not None and most is not None and least > most:
            stated, other = (
                ("min_instances", "max_instances")
                if own.max_instances is None
                else ("max_instances", "min_instances")
            )
            yield (
                (*path, "schedules", key, stated),
                f"leaves {least} instances at least and {most} at most, as {other} is that of scaling; state {other} here too",
            )
    for key in ("success_topic_arn", "error_topic_arn"):
        if (arn := getattr(endpoint.notifications, key)) is not None:
            for reason in elsewhere(arn, environment.policy, "partition", "region", "account"):
                yield ("workloads", name, "notifications", key), f"the topic {reason}"


def _rules(environment: Environment, name: str, endpoint: AsynchronousEndpoint) -> Iterator[Violation]:
    yield from asynchronous_violations(environment, name, endpoint)
    yield from spot_violations(environment, name, endpoint)
    yield from member_violations(environment, name, endpoint)


FACET = ConfigKind(rank=2, model=AsynchronousEndpoint, rules=_rules)
