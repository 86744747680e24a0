"""The Pareto front: candidates of which no other is both cheaper and faster."""

from collections.abc import Iterable
from math import inf

from sizewell.instance_selection.results import Candidate, E, EndpointEstimate, TrainingEstimate


def pareto_front(candidates: Iterable[Candidate[E]]) -> tuple[Candidate[E], ...]:
    """Return the front of cost per month against latency or duration, cheapest first, then by name.

    Of candidates that are equal in both, all are on it. One without a known price never is: nobody can tell.
    """
    front: list[Candidate[E]] = []
    point, fastest = (inf, inf), inf
    priced = [(c.cost.usd_per_month, c) for c in candidates if c.cost.usd_per_month is not None]
    for cost, candidate in sorted(
        priced, key=lambda pair: (pair[0], time_of(pair[1].estimate), pair[1].instance_type)
    ):
        time = time_of(candidate.estimate)
        if time < fastest or (cost, time) == point:
            front.append(candidate)
            point, fastest = (cost, time), time
    return tuple(front)


def time_of(estimate: EndpointEstimate | TrainingEstimate) -> float:
    """Return the time that the requirement is about: the p95 at peak load in ms, or the duration of a run in hours."""
    return estimate.p95_latency_ms if isinstance(estimate, EndpointEstimate) else estimate.duration_hours
