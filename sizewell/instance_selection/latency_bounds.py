"""The bounds of latency that a workload may state: what each limits, and which fields hold its figures."""

from dataclasses import dataclass
from typing import Literal

from sizewell.instance_selection.requirements import EndpointRequirements
from sizewell.instance_selection.results import EndpointEstimate


@dataclass(frozen=True, slots=True, eq=False)
class LatencyBound:
    """One bound of latency, and the percentile of the answers that must meet it."""

    filter: str
    """The name of the filter that rejects a type that is too slow even without load."""
    name: str
    """In a sentence: ``p99 of 120 ms``."""
    short_name: str
    """In a table: ``p99 120 ms``."""
    key: str
    """The key below ``latency`` in the configuration."""
    part: Literal["request", "first_token", "step"]
    """The part of an answer that it limits."""
    percentile: float
    need: str
    """The field of `EndpointRequirements` that states it."""
    figure: str
    """The field of `EndpointEstimate` with what is predicted at peak load."""

    def asked_ms(self, needs: EndpointRequirements) -> float | None:
        """Return the bound; None where it is not stated."""
        asked: float | None = getattr(needs, self.need)
        return asked

    def reached_ms(self, estimate: EndpointEstimate) -> float | None:
        """Return what is predicted at peak load; None where there is no such figure."""
        reached: float | None = getattr(estimate, self.figure)
        return reached

    def range_ms(self, estimate: EndpointEstimate) -> tuple[float, float] | None:
        """Return the nominal 90 % range of that, in proportion to that of the 95th percentile; None where it was measured."""
        reached, interval = self.reached_ms(estimate), estimate.latency_range_ms
        if reached is None or interval is None or self.name in estimate.measured:
            return None
        ratio = reached / estimate.p95_latency_ms
        return interval[0] * ratio, interval[1] * ratio


P95 = LatencyBound(
    "latency", "p95", "p95", "max_p95_ms", "request", 0.95, "max_p95_latency_ms", "p95_latency_ms"
)
P99 = LatencyBound("p99", "p99", "p99", "max_p99_ms", "request", 0.99, "max_p99_latency_ms", "p99_latency_ms")
FIRST_TOKEN = LatencyBound(
    "first-token",
    "time to first token",
    "TTFT",
    "max_time_to_first_token_ms",
    "first_token",
    0.95,
    "max_time_to_first_token_ms",
    "time_to_first_token_ms",
)
INTER_TOKEN = LatencyBound(
    "inter-token",
    "time between tokens",
    "per token",
    "max_inter_token_ms",
    "step",
    0.95,
    "max_inter_token_ms",
    "inter_token_ms",
)
BOUNDS = (P95, P99, FIRST_TOKEN, INTER_TOKEN)


_BY_FILTER = {bound.filter: bound for bound in BOUNDS}


def bound_called(filter_: str) -> LatencyBound | None:
    """Return the bound whose filter has this name; None where it is another filter."""
    return _BY_FILTER.get(filter_)


def decisive_bound(estimate: EndpointEstimate) -> LatencyBound:
    """Return the stated bound that leaves the least room at peak load; of equal ones the first."""
    return _BY_FILTER[estimate.decisive_bound]
