"""What can go wrong when a change is deployed."""

from sizewell.review.model.base import ReviewModel
from sizewell.review.words import Severity


class Hazard(ReviewModel):
    """One danger, said so that nobody has to look anything up."""

    rule: str
    """The name of the rule, which a gate condition names, such as stateful-replaced."""
    severity: Severity
    """How bad it is: danger may lose data, traffic or protection; warning must be known before a deployment; notice is
    good to know."""
    environment: str
    """The name of the environment."""
    stack: str
    """The name of the stack."""
    logical_id: str | None = None
    """The logical id of the resource; null where it is about more than one."""
    workload: str | None = None
    """The name of the workload; null where it is about none, or about all."""
    subject: str
    """What it is about, in a few words: the endpoint, the bucket, the alarm."""
    cause: str
    """What the change does, from what to what."""
    consequence: str
    """What then happens at the deployment or after it."""
    what_to_do: str
    """What to do before the change is deployed."""
