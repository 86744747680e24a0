"""What can go wrong when a change is deployed."""

from sizewell.review.model.base import ReviewModel, Severity


class Hazard(ReviewModel):
    """One danger, said so that nobody has to look anything up."""

    rule: str
    """The name of the rule, in kebab case: what a gate names."""
    severity: Severity
    environment: str
    stack: str
    logical_id: str | None = None
    workload: str | None = None
    subject: str
    """What it is about, in a few words: the endpoint, the bucket, the alarm."""
    cause: str
    """What the change does: from, to."""
    consequence: str
    """What then happens at or after the deployment."""
    what_to_do: str
