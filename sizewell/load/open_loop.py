"""Sending requests at a rate that the answers do not change."""

import json
import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import accumulate
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread

from sizewell.load.observations import Observation, RequestFailedError

MAX_REQUESTS = 10_000
MAX_PER_SECOND = 1_000.0
#: Requests in flight, each in a thread of its own: more are sent when one of them ends.
MAX_IN_FLIGHT = 256
#: SageMaker gives a container 60 s (https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_runtime_InvokeEndpoint.html).
TIMEOUT_S = 65.0
#: As much of a refusal as a message shows.
SHOWN_BYTES = 500
_SEED = 20_261_129
#: How often the state of the test is shown.
_SHOW_EVERY_S = 0.2

Send = Callable[[], Iterable[bytes]]
"""Sends one request and yields its answer as it comes. Raises RequestFailedError."""


@dataclass(frozen=True)
class LoadRun:
    """A test that has ended."""

    observations: tuple[Observation, ...]
    unsent: int
    """Requests whose time did not come, or came when too many others were in flight."""
    most_in_flight: int
    interrupted: bool
    day: str
    """In UTC, as an ISO date."""


def arrivals_s(requests: int, per_second: float) -> tuple[float, ...]:
    """Return when requests are due: at random, independent of each other, the first at 0 s, and exactly at this rate.

    The same numbers give the same times.
    """
    chance = random.Random(_SEED)
    gaps = [chance.expovariate(1.0) for _ in range(requests - 1)]
    scale = (requests - 1) / per_second / sum(gaps) if gaps else 0.0
    return tuple(accumulate((gap * scale for gap in gaps), initial=0.0))


def observe(send: Send, due_s: float, now: Callable[[], float], *, streams: bool) -> Observation:
    """Send one request and return what came of it."""
    sent_s = now()
    first_s = last_s = None
    events = 0
    try:
        for arrived in answer(send, streams=streams):
            last_s = now()
            first_s = last_s if first_s is None else first_s
            events += arrived
    except Exception as error:
        # Whatever it is, the request was not answered; the other threads go on.
        kind = error.kind if isinstance(error, RequestFailedError) else type(error).__name__
        return Observation(due_s, sent_s, now(), failure=kind)
    return Observation(due_s, sent_s, now(), first_s, last_s, events)


def answer(send: Send, *, streams: bool) -> Iterator[int]:
    """Send one request and yield how many events of a stream came together, where there are any.

    Raises RequestFailedError, also for a stream that has an error, which comes with status 200, or no event.
    """
    events, line = 0, b""
    for chunk in send():
        if not streams:
            continue
        *lines, line = (line + chunk).split(b"\n")
        arrived = [event for event in map(_event_of, lines) if event]
        _refuse_errors(arrived)
        if arrived:
            events += len(arrived)
            yield len(arrived)
    # An error may be the last line, without an end.
    _refuse_errors([_event_of(line)])
    if streams and not events:
        raise RequestFailedError(
            "no stream of tokens",
            'the payload has "stream": true, but no event came. If the server does not stream, remove it',
        )


def _event_of(line: bytes) -> bytes:
    """Return the JSON of a piece of an answer: of a server-sent event, or a line of JSON lines; empty for any other line."""
    text = line.removeprefix(b"data:").strip()
    return text if text.startswith(b"{") else b""


def _refuse_errors(events: Iterable[bytes]) -> None:
    """Raise RequestFailedError for an event with an ``error``, which vLLM, SGLang, TGI and DJL Serving send with status 200."""
    for event in events:
        # Few events are parsed: the time that it takes is that of all requests.
        if b'"error"' in event and _has_error(event):
            raise RequestFailedError("an error in the stream", event[:SHOWN_BYTES].decode("utf-8", "replace"))


def _has_error(event: bytes) -> bool:
    try:
        return bool(json.loads(event).get("error"))
    except (ValueError, RecursionError):
        return False


def run_load(
    send: Send, due_s: Sequence[float], max_seconds: float, show: Callable[[str], None], *, streams: bool
) -> LoadRun:
    """Send a request at each time, and return what came of them. Ctrl-C ends the test early.

    After ``max_seconds`` no more are sent, and those in flight are awaited.
    """
    began, day = time.monotonic(), datetime.now(UTC).date().isoformat()
    workers = _Workers(send, lambda: time.monotonic() - began, max_seconds, streams=streams)
    shown_s = 0.0
    interrupted = False
    try:
        for due in due_s:
            if due > max_seconds:
                break
            while (wait_s := due - (now := time.monotonic() - began)) > 0:
                time.sleep(min(wait_s, _SHOW_EVERY_S))
                if now - shown_s > _SHOW_EVERY_S:
                    shown_s = now
                    show(workers.state(len(due_s)))
            workers.take(due)
        while workers.busy() and time.monotonic() - began < max_seconds + TIMEOUT_S:
            show(workers.state(len(due_s)))
            workers.changed.wait(_SHOW_EVERY_S)
            workers.changed.clear()
    except KeyboardInterrupt:
        interrupted = True
    observations = workers.end(interrupted=interrupted)
    return LoadRun(observations, len(due_s) - len(observations), workers.most, interrupted, day)


class _Workers:
    """Threads that each wait for one answer at a time; what they still wait for at the end ends with the process."""

    def __init__(self, send: Send, now: Callable[[], float], deadline_s: float, *, streams: bool) -> None:
        self._send = send
        self._now = now
        self._deadline_s = deadline_s
        self._streams = streams
        self._waiting: SimpleQueue[float] = SimpleQueue()
        self._lock = Lock()
        self._observations: list[Observation] = []
        self._in_flight: list[float] = []
        self._open = 0
        self._threads = 0
        self.most = 0
        """The most requests that were in flight at a time."""
        self._ended = False
        self.changed = Event()

    def take(self, due_s: float) -> None:
        """Send a request as soon as a thread is free; another thread is started where all are busy, up to the limit."""
        with self._lock:
            self._open += 1
            start = self._open > self._threads < MAX_IN_FLIGHT
            self._threads += start
        self._waiting.put(due_s)
        if start:
            Thread(target=self._work, daemon=True).start()

    def busy(self) -> bool:
        """Return whether an answer is still awaited."""
        with self._lock:
            return self._open > 0

    def state(self, requests: int) -> str:
        """Return how far the test is."""
        with self._lock:
            return f"{len(self._observations):,} of {requests:,} answered, {self._open:,} in flight"

    def end(self, *, interrupted: bool) -> tuple[Observation, ...]:
        """Begin nothing more, and return what was observed, in the order of the times.

        Of a test that was not interrupted, what is still in flight has failed.
        """
        with self._lock:
            self._ended = True
            late = () if interrupted else self._in_flight
            failed = [
                Observation(due_s, due_s, self._now(), failure="no answer until the end") for due_s in late
            ]
            return tuple(sorted((*self._observations, *failed), key=lambda observation: observation.due_s))

    def _work(self) -> None:
        while not self._ended:
            try:
                due_s = self._waiting.get(timeout=_SHOW_EVERY_S)
            except Empty:
                continue
            with self._lock:
                begins = not self._ended and self._now() <= self._deadline_s
                if begins:
                    self._in_flight.append(due_s)
                    self.most = max(self.most, len(self._in_flight))
            found = observe(self._send, due_s, self._now, streams=self._streams) if begins else None
            with self._lock:
                self._open -= 1
                if found is not None and not self._ended:
                    self._in_flight.remove(due_s)
                    self._observations.append(found)
            self.changed.set()
