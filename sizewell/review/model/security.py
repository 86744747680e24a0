"""What a change does to permissions, reachability and encryption."""

from typing import Literal

from sizewell.review.model.base import ReviewModel
from sizewell.review.words import Direction


class Grant(ReviewModel):
    """One element of the product of a statement: who may, or may not, do what on what under which condition."""

    effect: Literal["Allow", "Deny"]
    """Whether it allows or denies."""
    principal: str
    """Who: of an identity policy the role, user or group; of a resource policy the principal as it is written."""
    action: str
    """The pattern of actions; of NotAction not (a, b)."""
    resource: str
    """The pattern of resources; of NotResource not (a, b)."""
    condition: str = ""
    """Under which condition; empty where there is none."""


class IamChange(ReviewModel):
    """Grants that one side has and the other does not cover."""

    direction: Literal["broadened", "narrowed"]
    """Whether the grants are new (broadened) or gone (narrowed)."""
    environment: str
    """The name of the environment."""
    stack: str
    """The name of the stack."""
    policy: str
    """The role or the resource that the policy belongs to, as its path in the app."""
    grants: tuple[Grant, ...]
    """The grants that one side has and the other does not cover."""


class SecurityChange(ReviewModel):
    """Anything else that changes how well something is protected."""

    rule: str
    """The name of the rule: security-group-opened, encryption-lost, acknowledgement-added."""
    direction: Direction
    """Whether protection is weaker, stronger, or only different."""
    environment: str
    """The name of the environment."""
    stack: str
    """The name of the stack."""
    logical_id: str | None = None
    """The logical id of the resource; null where it is about more than one."""
    subject: str
    """What it is about, in a few words."""
    base: str
    """What base says, in one line."""
    head: str
    """What head says, in one line."""
    why: str
    """What it means, in one sentence."""


class Security(ReviewModel):
    """All of it, over all templates and nested stacks."""

    iam: tuple[IamChange, ...] = ()
    """The policies whose grants differ."""
    others: tuple[SecurityChange, ...] = ()
    """What else changes how well something is protected."""
    unchanged_grant_count: int = 0
    """The number of grants that both sides have."""
