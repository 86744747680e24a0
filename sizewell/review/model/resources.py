"""What CloudFormation will do with each resource."""

from typing import Literal

from sizewell.review.model.base import ReviewModel
from sizewell.templates.differences import Effect
from sizewell.templates.impact import Action


class PropertyChange(ReviewModel):
    """One property that differs."""

    path: str
    """With dots and list positions: ``ProductionVariants.0.InstanceType``."""
    base: str
    """One line, shortened where it is long; empty where it is not there."""
    head: str
    effect: Effect


class ResourceChange(ReviewModel):
    """One resource that is not the same on both sides."""

    environment: str
    stack: str
    logical_id: str
    resource_type: str
    path: str
    """Of the construct; the logical id where the template does not say it."""
    action: Action
    decided_by: tuple[str, ...] = ()
    """The properties that make it a replacement."""
    because_of: str | None = None
    """The resource whose replacement reaches this one: ``stack/logical id``."""
    stateful: bool = False
    """Whether it holds data or keys that are gone with it."""
    retained: bool = False
    """Whether its policies keep the old one when it is removed or replaced."""
    properties: tuple[PropertyChange, ...] = ()
    diff: str = ""
    """The lines of the canonical resource that differ, in unified form."""


class StackChange(ReviewModel):
    """A stack that one side does not have, or whose parameters, outputs or conditions differ."""

    environment: str
    stack: str
    action: Literal["added", "changed", "removed"]
    resource_count: int
    """Of head; of base for a stack that is removed."""
    details: tuple[str, ...] = ()
    """What differs beside resources, one line each."""


class Resources(ReviewModel):
    """All of them, the most dangerous first."""

    changes: tuple[ResourceChange, ...] = ()
    stacks: tuple[StackChange, ...] = ()
    unchanged_count: int = 0
