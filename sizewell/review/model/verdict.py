"""The answer in one line, and whether a gate lets it pass."""

from typing import Literal

from sizewell.review.model.base import ReviewModel


class Verdict(ReviewModel):
    """What the reader needs before anything else."""

    level: Literal["no change", "safe", "look", "danger"]
    """safe: nothing to worry about; look: read the warnings; danger: do not approve before you understood it."""
    sentence: str
    """The reason, in one sentence."""


class GateFailure(ReviewModel):
    """A condition of the gate that the change meets."""

    condition: str
    """The condition as it was written, such as cost-increase>10%."""
    reason: str
    """What of the change meets the condition."""


class Gate(ReviewModel):
    """The conditions, and those that stop the change."""

    conditions: tuple[str, ...]
    """All conditions, of the command line and of the policies."""
    failures: tuple[GateFailure, ...]
    """The conditions that stop the change."""
