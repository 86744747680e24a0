"""Requests are sent when they are due, whatever the answers do; none twice, and no more than were asked for."""

import math
import os
import signal
import threading
import time
from collections.abc import Iterator
from itertools import pairwise

import pytest

from sizewell.load import open_loop
from sizewell.load.observations import RequestFailedError
from sizewell.load.open_loop import LoadRun, arrivals_s, observe, run_load
from tests.gates import signals_heard

PATIENCE_S = 30.0


def run(send: open_loop.Send, due_s: tuple[float, ...], max_seconds: float = PATIENCE_S) -> LoadRun:
    return run_load(send, due_s, max_seconds, lambda _: None, streams=False)


def test_arrivals_have_exactly_the_rate_and_are_the_same_each_time() -> None:
    found = arrivals_s(1000, 8.0)

    assert found == arrivals_s(1000, 8.0)
    assert found[0] == 0
    assert found[-1] == pytest.approx(999 / 8)
    gaps = [later - earlier for earlier, later in pairwise(found)]
    assert min(gaps) > 0
    # Independent arrivals: the gaps deviate as much as they are long, and 1 - 1/e of them are shorter than the mean.
    mean = math.fsum(gaps) / len(gaps)
    assert math.sqrt(sum((gap - mean) ** 2 for gap in gaps) / len(gaps)) == pytest.approx(mean, rel=0.1)
    assert sum(gap < mean for gap in gaps) / len(gaps) == pytest.approx(1 - 1 / math.e, abs=0.05)
    assert arrivals_s(1, 8.0) == (0.0,)


def test_a_request_in_flight_does_not_delay_the_next() -> None:
    all_there = threading.Barrier(20, timeout=PATIENCE_S)

    def send() -> Iterator[bytes]:
        # None is answered before all are in flight.
        all_there.wait()
        yield b"{}"

    found = run(send, tuple(i / 1000 for i in range(20)))

    assert [one.failure for one in found.observations] == [""] * 20
    assert (found.most_in_flight, found.unsent, found.interrupted) == (20, 0, False)
    assert [one.due_s for one in found.observations] == [i / 1000 for i in range(20)]


def test_no_more_are_in_flight_than_may_be_and_waiting_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_loop, "MAX_IN_FLIGHT", 2)
    in_flight, most = 0, 0
    lock = threading.Lock()

    def send() -> Iterator[bytes]:
        nonlocal in_flight, most
        with lock:
            in_flight += 1
            most = max(most, in_flight)
        time.sleep(0.05)
        with lock:
            in_flight -= 1
        yield b"{}"

    found = run(send, (0.0,) * 6)

    assert (most, found.most_in_flight, len(found.observations)) == (2, 2, 6)
    # The last two wait for two others each, 50 ms at a time.
    assert max(one.latency_s for one in found.observations) >= 0.15


def test_a_failure_is_counted_and_not_tried_again() -> None:
    sent = []

    def send() -> Iterator[bytes]:
        sent.append(1)
        if len(sent) == 2:
            raise RequestFailedError("HTTP 503", "busy")
        if len(sent) == 3:
            raise KeyError("unexpected")
        yield b"{}"

    found = run(send, (0.0, 0.05, 0.1, 0.15))

    assert len(sent) == 4
    assert sorted(one.failure for one in found.observations) == ["", "", "HTTP 503", "KeyError"]


def test_nothing_is_sent_after_the_time_is_up() -> None:
    def send() -> Iterator[bytes]:
        yield b"{}"

    found = run(send, (0.0, 0.01, 3600.0, 7200.0), max_seconds=1.0)

    assert ([one.due_s for one in found.observations], found.unsent) == ([0.0, 0.01], 2)


def test_what_waits_when_the_time_is_up_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_loop, "MAX_IN_FLIGHT", 1)

    def send() -> Iterator[bytes]:
        time.sleep(0.5)
        yield b"{}"

    found = run(send, (0.0, 0.01, 0.02), max_seconds=0.3)

    assert ([one.due_s for one in found.observations], found.unsent) == ([0.0], 2)


def test_what_is_not_answered_by_the_end_has_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_loop, "TIMEOUT_S", 0.0)
    never = threading.Event()

    def send() -> Iterator[bytes]:
        never.wait(PATIENCE_S)
        yield b"{}"

    found = run(send, (0.0,), max_seconds=0.2)
    never.set()

    assert [one.failure for one in found.observations] == ["no answer until the end"]


def test_an_interrupt_ends_the_test_with_what_was_answered() -> None:
    never = threading.Event()

    def send() -> Iterator[bytes]:
        if not first.is_set():
            first.set()
            yield b"{}"
            return
        os.kill(os.getpid(), signal.SIGINT)
        never.wait(PATIENCE_S)
        yield b"{}"

    first = threading.Event()
    with signals_heard():
        found = run(send, (0.0, 0.2, 3600.0), max_seconds=7200.0)
    never.set()

    assert found.interrupted
    assert ([one.due_s for one in found.observations], found.unsent) == ([0.0], 2)


def observed(*chunks: bytes, streams: bool = True) -> tuple[float | None, float | None, int]:
    """Return when the first and the last event came, by a clock that goes on by 1 s at each look, and how many came."""
    ticks = iter(range(100))
    found = observe(lambda: iter(chunks), 0.0, lambda: float(next(ticks)), streams=streams)
    return found.first_event_s, found.last_event_s, found.events


def test_events_of_a_stream_are_counted_and_timed() -> None:
    assert observed(
        b'data: {"a": 1}\n\nda',
        b'ta: {"a": 2}\n',
        b"\n: comment\n",
        b'data: {"a": 3}\n\n',
        b"data: [DONE]\n\n",
    ) == (1, 3, 3)
    assert observed(b'{"token": 1}\n', b'{"token": 2}\n{"token": 3}\n') == (1, 2, 3)
    assert observed(b'data: {"a": 1}\n', streams=False) == (None, None, 0)


@pytest.mark.parametrize(
    ("chunks", "failure"),
    [
        (
            [b'data: {"a": 1}\n\n', b'data: {"error": {"message": "boom", "code": 500}}\n\n'],
            "an error in the stream",
        ),
        ([b'{"token": 1}\n', b'{"error": "boom", "code": 424}'], "an error in the stream"),
        ([b'data: {"error": null, "choices": [{"text": "an \\"error\\""}]}\n'], ""),
        ([b'data: {"text": "error", "a": [{"error\n'], ""),
        ([b'data: {"choices": [{"finish_reason": "error"}]}\n', b'data: {"a": "error"\n'], ""),
        ([b"data: [DONE]\n\n"], "no stream of tokens"),
        ([b'{"choices": [{"text": "all at once"}]}'], "no stream of tokens"),
        ([], "no stream of tokens"),
    ],
)
def test_a_stream_with_an_error_or_without_an_event_is_no_answer(chunks: list[bytes], failure: str) -> None:
    assert observe(lambda: iter(chunks), 0.0, time.monotonic, streams=True).failure == failure
    assert not observe(lambda: iter(chunks), 0.0, time.monotonic, streams=False).failure
