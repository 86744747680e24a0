"""What one owner of policies may do before and after a change."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from sizewell.templates.iam.permissions import Coverage, Effect, Permission, Permissions
from sizewell.templates.iam.sources import Policies


@dataclass(frozen=True)
class PermissionChange:
    """The permissions of one role or resource on both sides."""

    owner: str
    """Its logical id, else its name as written."""
    base: Permissions
    head: Permissions
    is_gone: bool = False
    """Whether it is deleted, and with it what its policies protected."""
    is_new: bool = False

    @cached_property
    def broadened(self) -> tuple[Permission, ...]:
        """What is allowed and was not, and what was denied and is not."""
        added = _uncovered(self.head, self.base, "Allow")
        return added if self.is_gone else (*added, *_uncovered(self.base, self.head, "Deny"))

    @cached_property
    def narrowed(self) -> tuple[Permission, ...]:
        """What was allowed and is not, and what is denied and was not."""
        removed = _uncovered(self.base, self.head, "Allow")
        return removed if self.is_new else (*removed, *_uncovered(self.head, self.base, "Deny"))


def permission_changes(base: Policies, head: Policies) -> Iterator[PermissionChange]:
    """Yield every owner of policies whose permissions are not the same on both sides."""
    for owner in sorted({*base.by_owner, *head.by_owner}):
        before, after = base.of(owner), head.of(owner)
        if before.keys() != after.keys():
            resource = base.resources.get(owner)
            stays = owner in head.resources
            yield PermissionChange(
                owner,
                before,
                after,
                is_gone=resource is not None and not stays and not resource.retained,
                is_new=stays and resource is None,
            )


def _uncovered(permissions: Permissions, by: Permissions, effect: Effect) -> tuple[Permission, ...]:
    """Return the permissions that none of the others covers; equal ones go first, they are the most."""
    left = [p for p in permissions if p.effect == effect and p not in by]
    if not left:
        return ()
    others = Coverage(p for p in by if p.effect == effect)
    return tuple(p for p in left if not others.covers(p))
