"""A candidate of either kind of selection, as views show it."""

from sizewell.instance_selection import Candidate, EndpointEstimate, TrainingEstimate

AnyCandidate = Candidate[EndpointEstimate] | Candidate[TrainingEstimate]


def instance_count(candidate: AnyCandidate) -> int:
    """Return how many instances are paid for: at average load, or during a run."""
    estimate = candidate.estimate
    if isinstance(estimate, EndpointEstimate):
        return estimate.instances_at_average
    return estimate.instance_count
