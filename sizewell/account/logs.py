"""The log events of a workload: those of the log groups of its stack, and of its newest run where SageMaker logs elsewhere."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from botocore.exceptions import ClientError

from sizewell.account.aws_account import AwsAccount
from sizewell.account.deployed import deployed_stack
from sizewell.aws_errors import is_missing
from sizewell.planning.planned_logs import SharedLogs
from sizewell.planning.workload_plan import WorkloadPlan

#: What state machines log of their own steps.
_OF_STATE_MACHINES = "/aws/vendedlogs/states/"
POLL_INTERVAL_S = 2.0
#: CloudWatch Logs may show an event this long after its time:
#: https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/CloudWatchLogs_LiveTail.html
_LATE_MS = 30_000


@dataclass(frozen=True)
class LogSource:
    """A log group, or the streams of it whose names begin so."""

    group: str
    stream_prefix: str | None = None


@dataclass(frozen=True)
class LogEvent:
    """One event."""

    at_ms: int
    """Since 1970, in UTC."""
    stream: str
    message: str

    @property
    def at(self) -> datetime:
        """When it happened, in UTC."""
        return datetime.fromtimestamp(self.at_ms / 1000, UTC)


def log_sources(aws: AwsAccount, workload: WorkloadPlan) -> tuple[LogSource, ...]:
    """Return where a workload logs; what state machines log only where there is nothing else.

    Empty where nothing of it is deployed, and of jobs that never ran. Errors of botocore pass.
    """
    stack = deployed_stack(aws, workload.stack_name)
    groups = [] if stack is None else [group.physical_id for group in stack.resources("AWS::Logs::LogGroup")]
    shared = _newest_run(aws, workload.shared_logs) if workload.shared_logs else None
    own = [LogSource(group) for group in groups if not group.startswith(_OF_STATE_MACHINES)]
    if shared is not None:
        own.append(shared)
    return tuple(own or [LogSource(group) for group in groups])


def _newest_run(aws: AwsAccount, shared: SharedLogs) -> LogSource | None:
    """Return the streams of the run that logged last: streams with a prefix come in the order of their names.

    https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_DescribeLogStreams.html
    """
    pages = aws.client("logs").get_paginator("describe_log_streams")
    newest: dict[str, int] = {}
    try:
        for page in pages.paginate(logGroupName=shared.group, logStreamNamePrefix=shared.name):
            for stream in page["logStreams"]:
                if run := shared.run_of(stream["logStreamName"]):
                    last = stream.get("lastEventTimestamp", stream.get("creationTime", 0))
                    newest[run] = max(last, newest.get(run, 0))
    except ClientError as error:
        # SageMaker makes the group with the first job of the account.
        if not is_missing(error):
            raise
    if not newest:
        return None
    return LogSource(shared.group, max(newest, key=lambda run: (newest[run], run)))


def read_logs(aws: AwsAccount, sources: Sequence[LogSource], since_s: int) -> list[LogEvent]:
    """Return the events of all sources of the last seconds, in the order of time. Errors of botocore pass."""
    return [event for _, event in _read(aws, sources, _start_ms(since_s))]


def follow_logs(aws: AwsAccount, sources: Sequence[LogSource], since_s: int) -> Iterator[LogEvent]:
    """Yield the events of all sources of the last seconds, and then what comes, for ever. Errors of botocore pass."""
    told: dict[str, int] = {}
    start_ms = _start_ms(since_s)
    while True:
        for event_id, event in _read(aws, sources, start_ms):
            if event_id not in told:
                told[event_id] = event.at_ms
                yield event
        # What comes late has an earlier time than what was told already.
        start_ms = max(start_ms, max(told.values(), default=0) - _LATE_MS)
        told = {event_id: at_ms for event_id, at_ms in told.items() if at_ms >= start_ms}
        time.sleep(POLL_INTERVAL_S)


def _start_ms(since_s: int) -> int:
    return int((time.time() - since_s) * 1000)


def _read(aws: AwsAccount, sources: Sequence[LogSource], start_ms: int) -> list[tuple[str, LogEvent]]:
    found: list[tuple[str, LogEvent]] = []
    for source in sources:
        pages = aws.client("logs").get_paginator("filter_log_events")
        wanted: dict[str, Any] = {"logGroupName": source.group, "startTime": start_ms}
        if source.stream_prefix:
            wanted["logStreamNamePrefix"] = source.stream_prefix
        try:
            found += [
                (
                    event["eventId"],
                    LogEvent(event["timestamp"], event["logStreamName"], event.get("message", "")),
                )
                for page in pages.paginate(**wanted)
                for event in page["events"]
            ]
        except ClientError as error:
            if not is_missing(error):
                raise
    return sorted(found, key=lambda event: (event[1].at_ms, event[0]))
