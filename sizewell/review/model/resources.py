"""What CloudFormation will do with each resource."""

from typing import Literal

from sizewell.review.model.base import ReviewModel
from sizewell.templates.deployment import Action
from sizewell.templates.template import Effect


class PropertyChange(ReviewModel):
    """One property that differs."""

    path: str
    """The keys from the resource to the value, with dots and positions of lists: ProductionVariants.0.InstanceType."""
    base: str
    """The value of base in one line, shortened where it is long; empty where the property is not there."""
    head: str
    """The value of head in one line, shortened where it is long; empty where the property is not there."""
    effect: Effect
    """What the difference makes CloudFormation do: nothing (of DependsOn or DeletionPolicy), an update, or a
    replacement."""


class ResourceChange(ReviewModel):
    """One resource that is not the same on both sides."""

    environment: str
    """The name of the environment."""
    stack: str
    """The name of the stack."""
    logical_id: str
    """The logical id of the resource; of base where it is removed."""
    resource_type: str
    """The CloudFormation type, such as AWS::SageMaker::Endpoint."""
    path: str
    """The path of the construct; the logical id where the template does not say it."""
    action: Action
    """What CloudFormation does with the resource."""
    decided_by: tuple[str, ...] = ()
    """The properties that make it a replacement."""
    because_of: str | None = None
    """The resource whose replacement reaches this one, as stack/logical id; null where there is none."""
    stateful: bool = False
    """Whether it holds data or keys that are lost with it."""
    retained: bool = False
    """Whether its policies keep the old one, or a snapshot of it, when it is removed or replaced."""
    harmless: bool = False
    """Whether every property that differs is known to do no harm; of most properties nobody knows, which is false."""
    properties: tuple[PropertyChange, ...] = ()
    """The properties that differ."""
    diff: str = ""
    """The lines of the normalised resource that differ, as a unified diff."""


class StackChange(ReviewModel):
    """A stack that one side does not have, or whose parameters, outputs or conditions differ."""

    environment: str
    """The name of the environment."""
    stack: str
    """The name of the stack."""
    action: Literal["added", "changed", "removed"]
    """Whether the stack is new, gone, or has other parameters, outputs or conditions."""
    resource_count: int
    """The number of resources of head; of base for a stack that is removed."""
    details: tuple[str, ...] = ()
    """What differs beside resources, one line each."""


class Resources(ReviewModel):
    """All of them, the most dangerous first."""

    changes: tuple[ResourceChange, ...] = ()
    """The resources that differ, the most dangerous change first."""
    stacks: tuple[StackChange, ...] = ()
    """The stacks that are new or gone, or that differ beside their resources."""
    unchanged_count: int = 0
    """The number of resources that are the same on both sides."""
