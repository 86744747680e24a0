"""Permissions as sets: what head allows and base did not, and the other way round."""

from collections.abc import Collection, Iterable, Iterator
from typing import Literal

from sizewell.review.model import Grant, IamChange
from sizewell.review.security.rule import StackChange
from sizewell.templates.iam.changes import PermissionChange
from sizewell.templates.iam.permissions import OWNER, Permission, Term, Written
from sizewell.templates.iam.statements import excluding


def iam_changes(stack: StackChange, changes: Iterable[PermissionChange]) -> Iterator[IamChange]:
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


def _iam_change(
    stack: StackChange,
    change: PermissionChange,
    direction: Literal["broadened", "narrowed"],
    permissions: Collection[Permission],
) -> IamChange:
    policy = stack.path(change.owner)
    grants = {_grant(p, change.head.get(p) or change.base[p], policy) for p in permissions}
    return IamChange(
        direction=direction,
        environment=stack.pair.environment,
        stack=stack.pair.name,
        workload=stack.workload,
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
