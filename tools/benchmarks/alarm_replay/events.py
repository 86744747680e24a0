"""The traces of what answers later or ends by itself: queues of asynchronous endpoints, and jobs."""

from collections.abc import Iterator, Mapping

import numpy as np

from sizewell.facts.metrics import Dimensions
from sizewell.facts.state_machines import FAILURE_METRICS
from tools.benchmarks.alarm_replay.loads import AFTERNOON, DAY, HOUR, NIGHT, steady
from tools.benchmarks.alarm_replay.publishing import endpoint_metric, gauges
from tools.benchmarks.alarm_replay.series import Floats
from tools.benchmarks.alarm_replay.template_alarms import Metric, Published
from tools.benchmarks.alarm_replay.traces import Trace

_MINUTES = 3 * DAY
#: Until an instance answers that starts because of a request.
_WAKE_MINUTES = 7
_AGE = "ApproximateAgeOfOldestRequest"
_WITHOUT_CAPACITY = "HasBacklogWithoutCapacity"


def queue_traces(
    queue: Dimensions,
    variant: Dimensions,
    *,
    requests_per_minute: float,
    max_wait_minutes: float,
    sleeps: bool,
) -> Iterator[tuple[Trace, Published]]:
    """Yield those of an asynchronous endpoint, which may have no instance while nobody asks."""
    between = max(1, round(1 / requests_per_minute))
    rng = np.random.default_rng(1)
    processed = rng.poisson(requests_per_minute, _MINUTES).astype(float)

    def series(**changes: tuple[int, int, float]) -> Published:
        values: dict[str, Floats] = {
            _AGE: np.where(processed > 0, max_wait_minutes * 60 / 2, 0.0),
            _WITHOUT_CAPACITY: np.zeros(_MINUTES),
            "InvocationsProcesssed": np.where(processed > 0, processed, np.nan),
            "InvocationFailures": np.where(processed > 0, 0.0, np.nan),
            "ExpiredRequests": np.full(_MINUTES, np.nan),
            "ResponseUploadFailures": np.full(_MINUTES, np.nan),
            "NotificationFailures": np.full(_MINUTES, np.nan),
            "MemoryUtilization": np.full(_MINUTES, 60.0),
            "DiskUtilization": np.full(_MINUTES, 30.0),
        }
        for name, (start, end, value) in changes.items():
            values[name][start:end] = value
        return gauges(
            {
                endpoint_metric(name, queue if name in (_AGE, _WITHOUT_CAPACITY) else variant): value
                for name, value in values.items()
            }
        )

    def trace(name: str, within: float | None = None, starts: int = AFTERNOON) -> Trace:
        return Trace(
            name=name,
            load=steady(requests_per_minute),
            starts=starts,
            page_within=None if within is None else int(np.ceil(within)),
        )

    yield trace("steady queue"), series()
    yield trace("one request fails at night"), series(InvocationFailures=(NIGHT, NIGHT + 1, 1))
    if sleeps:
        asleep = (DAY, DAY + 8 * HOUR, np.nan)
        yield trace("asleep for a night"), series(MemoryUtilization=asleep, DiskUtilization=asleep)
        yield (
            trace("an instance starts"),
            series(
                **{
                    _WITHOUT_CAPACITY: (AFTERNOON, AFTERNOON + _WAKE_MINUTES, 1),
                    "MemoryUtilization": (AFTERNOON - HOUR, AFTERNOON + _WAKE_MINUTES, np.nan),
                }
            ),
        )
    stuck = series(**{_WITHOUT_CAPACITY: (AFTERNOON, AFTERNOON + 6 * HOUR, 1)})
    age = np.where(processed > 0, max_wait_minutes * 60 / 2, 0.0)
    age[AFTERNOON : AFTERNOON + 6 * HOUR] = 60.0 * np.arange(6 * HOUR)
    stuck = {**stuck, **gauges({endpoint_metric(_AGE, queue): age})}
    yield trace("a queue that nobody drains", max_wait_minutes + 15), stuck
    late = {**series(), **gauges({endpoint_metric(_AGE, queue): age})}
    yield trace("a queue that is drained too slowly", max_wait_minutes + 15), late
    # Each request that came failed.
    failing = processed.copy()
    failing[:AFTERNOON] = np.where(processed[:AFTERNOON] > 0, 0, np.nan)
    failing[AFTERNOON:][processed[AFTERNOON:] == 0] = np.nan
    failures = {**series(), **gauges({endpoint_metric("InvocationFailures", variant): failing})}
    yield trace("all requests fail", max(30, 10 * between)), failures
    yield trace("a request expires", 15), series(ExpiredRequests=(AFTERNOON, AFTERNOON + 1, 1))
    yield trace("an answer is lost", 15), series(ResponseUploadFailures=(AFTERNOON, AFTERNOON + 1, 1))
    yield trace("a notification is lost", 15), series(NotificationFailures=(AFTERNOON, AFTERNOON + 1, 1))
    yield trace("disk is full", 30), series(DiskUtilization=(AFTERNOON, AFTERNOON + 2 * HOUR, 95))


def worker_traces(
    queue: str,
    dead_letters: str,
    topics: tuple[str, str],
    service: Dimensions | None,
    *,
    max_wait_minutes: float,
    sleeps: bool,
) -> Iterator[tuple[Trace, Published]]:
    """Yield those of a queue of Amazon SQS, which containers work off: tasks of a ``service`` of ECS, or pods.

    ``topics`` hear of answers and of failures: AWS counts what is published only where there is any.
    """

    def metric(name: str, of: str = queue) -> Metric:
        return ("AWS/SQS", name, frozenset({("QueueName", of)}))

    age, waiting, worked_on = (
        metric(name)
        for name in (
            "ApproximateAgeOfOldestMessage",
            "ApproximateNumberOfMessagesVisible",
            "ApproximateNumberOfMessagesNotVisible",
        )
    )
    lost = metric("ApproximateNumberOfMessagesVisible", dead_letters)
    tasks: Metric = ("ECS/ContainerInsights", "DesiredTaskCount", frozenset(service or ()))
    answers, failures = (
        ("AWS/SNS", "NumberOfMessagesPublished", frozenset({("TopicName", topic)})) for topic in topics
    )
    usual = {age: max_wait_minutes * 60 / 2, waiting: 2.0, worked_on: 1.0, lost: 0.0}
    usual |= {answers: 2.0, failures: np.nan}
    usual |= {tasks: 1.0} if service else {}

    def series(
        changes: Mapping[Metric, Floats | float], start: int = AFTERNOON, minutes: int = 6 * HOUR
    ) -> Published:
        values = {name: np.full(_MINUTES, value) for name, value in usual.items()}
        for name, value in changes.items():
            values[name][start : start + minutes] = value
        return gauges(values)

    def trace(name: str, within: float | None = None) -> Trace:
        page_within = None if within is None else int(np.ceil(within))
        return Trace(name=name, load=steady(1), starts=AFTERNOON, page_within=page_within)

    growing: Floats = (60 * np.arange(6 * HOUR)).astype(np.float64)
    yield trace("steady queue"), series({})
    yield trace("one request fails"), series({failures: 1.0}, minutes=1)
    yield trace("all requests fail", 30), series({answers: np.nan, failures: 2.0})
    if sleeps:
        asleep = {age: np.nan, waiting: np.nan, worked_on: np.nan, answers: np.nan} | (
            {tasks: 0.0} if service else {}
        )
        yield trace("asleep for a night"), series(asleep, DAY, 8 * HOUR)
        yield trace("a container starts"), series({worked_on: 0.0}, minutes=_WAKE_MINUTES)
    yield trace("nobody works on a request", max_wait_minutes + 15), series({worked_on: 0.0, age: growing})
    yield trace("a queue that is drained too slowly", max_wait_minutes + 15), series({age: growing})
    yield trace("a request becomes a dead letter", 15), series({lost: 1.0})


def job_traces(
    machine: str, queues: tuple[str, ...], *, is_training: bool
) -> Iterator[tuple[Trace, Published]]:
    """Yield those of a workflow: ``queues`` take the starts that failed."""

    def series(happened: dict[Metric, tuple[int, ...]]) -> Published:
        # Counts are published only when there is one.
        values = {}
        for metric, minutes in happened.items():
            values[metric] = np.full(_MINUTES, np.nan)
            values[metric][list(minutes)] = 1
        return gauges(values)

    def ended(name: str) -> Metric:
        return ("AWS/States", name, frozenset({("StateMachineArn", machine)}))

    nothing: dict[Metric, tuple[int, ...]] = {ended(name): () for name in FAILURE_METRICS}
    lost = {
        ("AWS/SQS", "ApproximateNumberOfMessagesVisible", frozenset({("QueueName", queue)})): ()
        for queue in queues
    }
    nothing |= lost

    def trace(name: str, within: int | None = None) -> Trace:
        return Trace(name=name, load=steady(1), starts=AFTERNOON, page_within=within)

    yield trace("executions succeed"), series(nothing)
    for name, end in FAILURE_METRICS.items():
        yield trace(f"an execution {end}", 15), series({**nothing, ended(name): (AFTERNOON,)})
    for queue in lost:
        waits = tuple(range(AFTERNOON, _MINUTES))
        yield (
            trace(f"a start is lost to {dict(queue[2])['QueueName']}", 15),
            series({**nothing, queue: waits}),
        )
    if is_training:
        # It runs out of the time of its machine, after its deadline.
        late = {**nothing, ended("ExecutionsTimedOut"): (AFTERNOON + 12 * HOUR,)}
        yield trace("a training waits for capacity until it times out", 11 * HOUR), series(late)
