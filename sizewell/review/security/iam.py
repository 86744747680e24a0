"""Permissions as sets: what head allows and base did not, and the other way round."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from sizewell.review.model import Grant, IamChange
from sizewell.review.security.view import StackChange
from sizewell.templates.iam.coverage import Coverage
from sizewell.templates.iam.permissions import (
    OWNER,
    Effect,
    Permission,
    Permissions,
    Term,
    Written,
)
from sizewell.templates.iam.statements import excluding


@dataclass(frozen=True)
class OwnerChange:
    """The permissions of one role or resource on both sides."""

    stack: StackChange
    owner: str
    base: Permissions
    head: Permissions

    @cached_property
    def broadened(self) -> tuple[Permission, ...]:
        """What is allowed and was not, and what was denied and is not."""
        added = _uncovered(self.head, self.base, "Allow")
        if self.stack.is_gone(self.owner):
            return added
        return (*added, *_uncovered(self.base, self.head, "Deny"))

    @cached_property
    def narrowed(self) -> tuple[Permission, ...]:
        """What was allowed and is not, and what is denied and was not."""
        removed = _uncovered(self.base, self.head, "Allow")
        if self.stack.is_new(self.owner):
            return removed
        return (*removed, *_uncovered(self.head, self.base, "Deny"))


def owner_changes(stack: StackChange) -> Iterator[OwnerChange]:
    """Yield every owner of policies whose permissions are not the same on both sides."""
    base, head = stack.base_policies, stack.head_policies
    for owner in sorted({*base.by_owner, *head.by_owner}):
        if base.of(owner).keys() != head.of(owner).keys():
            yield OwnerChange(stack, owner, base.of(owner), head.of(owner))


def iam_changes(stack: StackChange, changes: Iterable[OwnerChange]) -> Iterator[IamChange]:
    """Yield what is broadened and what is narrowed; CDK leaves a stack that is gone from the app as it is."""
    is_left = stack.pair.head is None and stack.pair.base is not None and stack.pair.base.parent is None
    for change in changes:
        if change.broadened:
            yield _iam_change(stack, change, "broadened", change.broadened)
        if change.narrowed and not is_left:
            yield _iam_change(stack, change, "narrowed", change.narrowed)


def unchanged_grant_count(stack: StackChange) -> int:
    """Return how many permissions both sides have, of all owners of a stack."""
    base, head = stack.base_policies, stack.head_policies
    return sum(
        len(permissions.keys() & head.of(owner).keys()) for owner, permissions in base.by_owner.items()
    )


def _uncovered(permissions: Permissions, by: Permissions, effect: Effect) -> tuple[Permission, ...]:
    """Return the permissions that none of the others covers; equal ones go first, they are the most."""
    left = [p for p in permissions if p.effect == effect and p not in by]
    if not left:
        return ()
    others = Coverage(p for p in by if p.effect == effect)
    return tuple(p for p in left if not others.covers(p))


def _iam_change(
    stack: StackChange,
    change: OwnerChange,
    direction: Literal["broadened", "narrowed"],
    permissions: Collection[Permission],
) -> IamChange:
    policy = stack.path(change.owner)
    grants = {_grant(p, change.head.get(p) or change.base[p], policy) for p in permissions}
    return IamChange(
        direction=direction,
        environment=stack.pair.environment,
        stack=stack.pair.name,
        policy=policy,
        grants=tuple(sorted(grants, key=_order)),
    )


def _grant(permission: Permission, written: Written, owner: str) -> Grant:
    return Grant(
        effect=permission.effect,
        principal=_shown_principal(permission.principal, owner),
        action=written.action,
        resource=_shown(permission.resource, owner),
        condition=" and ".join(filter(None, (written.condition, *map(str, permission.guards)))),
    )


def _order(grant: Grant) -> tuple[str, ...]:
    return (grant.effect, grant.principal, grant.action, grant.resource, grant.condition)


def _shown(term: Term, owner: str) -> str:
    patterns = [owner if pattern == OWNER else pattern for pattern in term.patterns]
    return excluding(patterns) if term.negated else patterns[0]


def _shown_principal(term: Term, owner: str) -> str:
    bare = Term(tuple(pattern.partition(":")[2] for pattern in term.patterns), term.negated)
    return _shown(bare if term.patterns != (OWNER,) else term, owner)
