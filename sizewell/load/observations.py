"""What came of each request of a load test, and what all of them say together."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

PERCENTILES = (50, 95, 99)
#: With fewer, the slowest answer is the 95th percentile.
LEAST_ANSWERS = 20
#: A client that sends 5 of 100 requests later than this share of the median latency measures itself.
_LATE_SHARE = 0.1
_LATE_S = 0.005


class RequestFailedError(Exception):
    """A request was not answered; ``kind`` tells the failures of a test apart, the text says all that is known."""

    def __init__(self, kind: str, details: str = "") -> None:
        super().__init__(f"{kind}: {details}" if details else kind)
        self.kind = kind


@dataclass(frozen=True)
class Observation:
    """One request; times are in seconds since the test began."""

    due_s: float
    """When it should have been sent."""
    sent_s: float
    ended_s: float
    first_event_s: float | None = None
    """None where the answer is no stream."""
    last_event_s: float | None = None
    events: int = 0
    failure: str = ""

    @property
    def latency_s(self) -> float:
        """How long somebody waited who asked when the request was due.

        Counted from when it was sent, a request that waits for a slow server to be sent at all would look fast ("coordinated
        omission": https://www.youtube.com/watch?v=lJ8ydIuPFeU, G. Tene, How NOT to measure latency).
        """
        return self.ended_s - self.due_s

    @property
    def first_token_s(self) -> float | None:
        """How long the answer took to begin."""
        return None if self.first_event_s is None else self.first_event_s - self.due_s

    @property
    def inter_token_s(self) -> float | None:
        """The time between two events of the answer, on average; each is taken for a token."""
        if self.first_event_s is None or self.last_event_s is None or self.events < 2:
            return None
        return (self.last_event_s - self.first_event_s) / (self.events - 1)


@dataclass(frozen=True, kw_only=True)
class Summary:
    """What the requests of a test say together; times are in milliseconds, by percentile."""

    answered: int
    failures: Mapping[str, int]
    """How many failed, by what was said, the most first."""
    duration_s: float
    """From when the first was due to the last answer."""
    mean_latency_ms: float | None
    latency_ms: Mapping[int, float]
    first_token_ms: Mapping[int, float]
    inter_token_ms: Mapping[int, float]
    late_ms: float
    """By how much 5 of 100 requests were sent too late."""
    sent_too_late: bool
    """Whether that distorts the latencies."""

    @property
    def failed(self) -> int:
        """Requests that were not answered."""
        return sum(self.failures.values())

    @property
    def answers_per_second(self) -> float:
        """Of all instances together."""
        return self.answered / self.duration_s if self.duration_s > 0 else 0.0


def summarize(observations: Sequence[Observation]) -> Summary:
    """Return what the requests say together; latencies are of those that were answered."""
    answered = [observation for observation in observations if not observation.failure]
    latencies_s = [observation.latency_s for observation in answered]
    late_s = (
        percentile([observation.sent_s - observation.due_s for observation in observations], 95)
        if observations
        else 0.0
    )
    median_s = percentile(latencies_s, 50) if latencies_s else 0.0
    failures = Counter(observation.failure for observation in observations if observation.failure)
    return Summary(
        answered=len(answered),
        failures=dict(sorted(failures.items(), key=lambda item: (-item[1], item[0]))),
        duration_s=max((observation.ended_s for observation in answered), default=0.0),
        mean_latency_ms=math.fsum(latencies_s) / len(latencies_s) * 1000 if latencies_s else None,
        latency_ms=_percentiles_ms(latencies_s),
        first_token_ms=_percentiles_ms(observation.first_token_s for observation in answered),
        inter_token_ms=_percentiles_ms(observation.inter_token_s for observation in answered),
        late_ms=late_s * 1000,
        sent_too_late=late_s > max(_LATE_S, _LATE_SHARE * median_s),
    )


def percentile(values: Sequence[float], percent: int) -> float:
    """Return the smallest value that so many of 100 do not exceed; of no values there is none."""
    return sorted(values)[max(0, math.ceil(percent / 100 * len(values)) - 1)]


def _percentiles_ms(seconds: Iterable[float | None]) -> dict[int, float]:
    known = [value for value in seconds if value is not None]
    return {percent: percentile(known, percent) * 1000 for percent in PERCENTILES} if known else {}
