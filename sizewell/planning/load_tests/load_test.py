"""What a load test says of one instance, whatever tool ran it.

A test in a closed loop keeps a number of requests in flight: what it carries, the instance carries at that concurrency. A
test in an open loop sends at a rate that the answers do not change. While the instance keeps up, the rate is that of the
test, and only latencies are measured. Where it falls behind, the answers per second are its capacity, and latencies grow for
as long as the test lasts.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sizewell.config.tree import KeyPath
from sizewell.planning.measurement_document import Document, Reading, Readings, significant

#: Above this share of failed requests, the latency of the others is not that of the endpoint.
MAX_FAILED_SHARE = 0.01
#: An instance that answers less than this share of what arrives falls behind. Arrivals at random are fewer than their rate
#: says: of 400, by 10 % in 2 of 100 tests.
_KEPT_UP = 0.9
#: A request that finds fewer others than this, on average, is alone.
_ALONE = 0.1
#: Statistics of a latency that bound the 95th percentile, the closest first; a mean or the 90th do not.
TAIL_STATISTICS = ("p95", "p99")
_WORDS = {
    "p95_latency_ms": "latency",
    "time_to_first_token_ms": "time to first token",
    "inter_token_ms": "time between tokens",
}


@dataclass(frozen=True)
class Figure:
    """A number, where the document has it, and, of a latency, which percentile it is."""

    value: float
    origin: KeyPath = ()
    statistic: str = "p95"


@dataclass(frozen=True, kw_only=True)
class LoadTest:
    """A test of all instances of an endpoint together; None is not known, or not measured."""

    source: str
    """What ran it."""
    date: str | None = None
    answered: float | None = None
    """Requests that were answered."""
    failed: float = 0.0
    failed_at: KeyPath = ()
    answers_per_second: Figure | None = None
    offered_per_second: float | None = None
    """The rate of an open loop; infinite where all requests were sent at once."""
    in_flight: Figure | None = None
    """The requests that a closed loop keeps in flight, or the most that an open loop may have."""
    duration_s: float | None = None
    """From the first request to the last answer."""
    mean_latency_ms: float | None = None
    p95_latency_ms: Figure | None = None
    time_to_first_token_ms: Figure | None = None
    inter_token_ms: Figure | None = None
    """Between two tokens, on the average of an answer."""


def tail(read: Callable[[str], tuple[float | None, KeyPath]]) -> Figure | None:
    """Return the closest statistic that bounds the 95th percentile; ``read`` gives its value and where that stands."""
    for statistic in TAIL_STATISTICS:
        value, origin = read(statistic)
        if value is not None:
            return Figure(value, origin, statistic)
    return None


def readings_of(
    test: LoadTest, document: Document, instance_type: str | None, instance_count: int
) -> Readings:
    """Return what a test of ``instance_count`` instances says of one.

    Raises:
        ConfigError: Too many requests failed, or nothing of what the test says is of the instance alone.
    """
    _check_failures(test, document)
    rate, behind = test.answers_per_second, _falls_behind(test)
    overloaded = behind and test.in_flight is None
    figures: dict[str, Figure] = {}
    notes = []
    if overloaded:
        notes.append(
            "the instance fell behind: its latencies grew for as long as the test lasted, and are left out"
        )
    else:
        figures = {key: figure for key in _WORDS if (figure := getattr(test, key)) is not None}
    values: dict[str, Any] = {key: figure.value for key, figure in figures.items()}
    concurrency = None if overloaded else _concurrency(test, instance_count, kept_up=not behind)
    if concurrency is not None:
        figures["concurrency"] = concurrency
        values["concurrency"] = concurrency.value
    in_closed_loop = test.in_flight is not None and test.offered_per_second is None
    if rate is not None and (behind or in_closed_loop):
        # Of one request at a time, the throughput is no capacity.
        if values.get("concurrency") != 1:
            figures["max_requests_per_second"] = rate
            values["max_requests_per_second"] = rate.value / instance_count
    elif rate is not None:
        notes.append(
            f"{rate.value:,.4g} requests/s are what the test asked for, not the most that the instance carries: left out"
        )
    if not figures.keys() - {"concurrency"}:
        raise document.error(
            (),
            "no p95 or p99 of a latency, and no throughput at capacity",
            hint="let the tool report the 95th percentile, or test at a higher rate",
            details=tuple(notes),
        )
    p99 = [f", the p99 {words}" for key, words in _WORDS.items() if _is_p99(figures.get(key))]
    return Readings(
        (
            Reading(
                {
                    "instance_type": instance_type,
                    "date": test.date,
                    "source": test.source + "".join(p99),
                    **{key: significant(value) for key, value in values.items()},
                },
                {key: figure.origin for key, figure in figures.items() if figure.origin},
            ),
        ),
        tuple(notes),
    )


def _is_p99(figure: Figure | None) -> bool:
    return figure is not None and figure.statistic == "p99"


def _check_failures(test: LoadTest, document: Document) -> None:
    sent = test.failed + (test.answered or 0.0)
    if test.failed > MAX_FAILED_SHARE * sent:
        raise document.error(
            test.failed_at,
            f"{test.failed:g} of {sent:g} requests failed; at most {MAX_FAILED_SHARE:.0%} may",
            hint="lower the load of the test, or mend the endpoint, and run it again",
        )


def _falls_behind(test: LoadTest) -> bool:
    """Return whether fewer requests were answered than arrived.

    The time in which the last requests are answered is no time in which any arrive: it does not count.
    """
    if test.offered_per_second is None or test.answers_per_second is None:
        return False
    per_second, last_s = test.answers_per_second.value, (test.mean_latency_ms or 0.0) / 1000
    if test.answered and test.duration_s and test.duration_s > last_s:
        per_second = test.answered / (test.duration_s - last_s)
    return per_second < _KEPT_UP * test.offered_per_second


def _concurrency(test: LoadTest, instance_count: int, *, kept_up: bool) -> Figure | None:
    """Return the requests in flight on an instance, as one of them sees it.

    That is the request itself and those that it finds: as many as on average, because arrivals are independent (Wolff,
    "Poisson arrivals see time averages", Operations Research 30, 1982), and that is rate x mean latency (Little, "A proof for
    the queuing formula L = lambda W", Operations Research 9, 1961).
    """
    if test.in_flight is not None and (test.offered_per_second is None or not kept_up):
        return Figure(test.in_flight.value / instance_count, test.in_flight.origin)
    if test.answers_per_second is None or test.mean_latency_ms is None:
        return None
    others = test.answers_per_second.value * test.mean_latency_ms / 1000 / instance_count
    return Figure(max(1.0, float(math.ceil(1 - _ALONE + others))))
