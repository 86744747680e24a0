"""What a change does to permissions, reachability and encryption."""

from typing import Literal

from sizewell.review.model.base import ReviewModel

Direction = Literal["weaker", "stronger", "neutral"]


class Grant(ReviewModel):
    """One element of the product of a statement: who may, or may not, do what on what under which condition."""

    effect: Literal["Allow", "Deny"]
    principal: str
    """Of an identity policy the role, user or group; of a resource policy the principal as written."""
    action: str
    """A pattern; of NotAction ``not (a, b)``."""
    resource: str
    """A pattern; of NotResource ``not (a, b)``."""
    condition: str = ""
    """Empty where there is none."""


class IamChange(ReviewModel):
    """Grants that one side has and the other does not cover."""

    direction: Literal["broadened", "narrowed"]
    environment: str
    stack: str
    policy: str
    """Where it stands: the role or the resource that the policy belongs to, as its path in the app."""
    grants: tuple[Grant, ...]


class SecurityChange(ReviewModel):
    """Anything else that changes how well something is protected."""

    rule: str
    """The name of the rule in kebab case: ``security-group-opened``, ``encryption-lost``, ``acknowledgement-added``."""
    direction: Direction
    environment: str
    stack: str
    logical_id: str | None = None
    subject: str
    base: str
    head: str
    why: str
    """What it means, in one sentence."""


class Security(ReviewModel):
    """All of it, over all templates and nested stacks."""

    iam: tuple[IamChange, ...] = ()
    others: tuple[SecurityChange, ...] = ()
    unchanged_grant_count: int = 0
    """Grants that both sides have."""
