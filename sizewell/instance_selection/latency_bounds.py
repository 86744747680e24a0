"""The bounds of latency that a workload may state: what each is of, and where its figures stand."""

from dataclasses import dataclass
from typing import Literal

from sizewell.instance_selection.requirements import EndpointRequirements
from sizewell.instance_selection.results import EndpointEstimate


@dataclass(frozen=True, slots=True)
class LatencyBound:
    """One bound: so many of all answers keep it."""

    filter: str
    """The name of the filter that turns down a type that is too slow even without load."""
    name: str
    """In a sentence: ``p99 of 120 ms``."""
    key: str
    """The key below ``latency`` in the configuration."""
    part: Literal["request", "first_token", "step"]
    """The part of an answer that it is of."""
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


P95 = LatencyBound("latency", "p95", "max_p95_ms", "request", 0.95, "max_p95_latency_ms", "p95_latency_ms")
P99 = LatencyBound("p99", "p99", "max_p99_ms", "request", 0.99, "max_p99_latency_ms", "p99_latency_ms")
FIRST_TOKEN = LatencyBound(
    "first-token",
    "time to first token",
    "max_time_to_first_token_ms",
    "first_token",
    0.95,
    "max_time_to_first_token_ms",
    "time_to_first_token_ms",
)
INTER_TOKEN = LatencyBound(
    "inter-token",
    "time between tokens",
    "max_inter_token_ms",
    "step",
    0.95,
    "max_inter_token_ms",
    "inter_token_ms",
)
BOUNDS = (P95, P99, FIRST_TOKEN, INTER_TOKEN)


def decisive_bound(needs: EndpointRequirements, estimate: EndpointEstimate) -> LatencyBound:
    """Return the stated bound that leaves the least room at peak load; of equal ones the first."""

    def used(bound: LatencyBound) -> float:
        asked, reached = bound.asked_ms(needs), bound.reached_ms(estimate)
        return reached / asked if asked is not None and reached is not None else 0.0

    return max(BOUNDS, key=used)
