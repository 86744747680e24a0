"""A candidate of any kind of selection, as views show it."""

from sizewell.instance_selection import EndpointEstimate
from sizewell.instance_selection.results import AnyCandidate


def instance_count(candidate: AnyCandidate) -> int:
    """Return how many instances are paid for: at average load, or during a run."""
    estimate = candidate.estimate
    if isinstance(estimate, EndpointEstimate):
        return estimate.instances_at_average
    return estimate.instance_count
