"""The Pareto front: candidates of which no other is both cheaper and faster."""

from collections.abc import Callable, Iterable
from math import inf

from sizewell.instance_selection.results import AnyEstimate, Candidate, E, EndpointEstimate


def time_of(estimate: AnyEstimate) -> float:
    """Return the time by which candidates are compared: the p95 at peak load in ms, or the duration of a run in hours."""
    return estimate.p95_latency_ms if isinstance(estimate, EndpointEstimate) else estimate.duration_hours


def pareto_front(
    candidates: Iterable[Candidate[E]], time: Callable[[E], float] = time_of
) -> tuple[Candidate[E], ...]:
    """Return the front of cost per month against a time, cheapest first, then by name.

    Candidates that are equal in both are all on it. A candidate without a known price never is.
    """
    front: list[Candidate[E]] = []
    point, fastest = (inf, inf), inf
    priced = [(c.cost.usd_per_month, c) for c in candidates if c.cost.usd_per_month is not None]
    for cost, candidate in sorted(
        priced, key=lambda pair: (pair[0], time(pair[1].estimate), pair[1].instance_type)
    ):
        taken = time(candidate.estimate)
        if taken < fastest or (cost, taken) == point:
            front.append(candidate)
            point, fastest = (cost, taken), taken
    return tuple(front)
