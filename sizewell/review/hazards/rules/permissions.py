"""Permissions that are gone while everything that may need them stays."""

from collections.abc import Iterator

from sizewell.review.comparison import EnvironmentPair
from sizewell.review.hazards.rule import Found, hazard_rule
from sizewell.review.words import listed
from sizewell.templates.deployment import ResourceImpact
from sizewell.templates.iam.changes import PermissionChange, permission_changes
from sizewell.templates.iam.permissions import Coverage, Permission, refuses_weak_tls
from sizewell.templates.iam.sources import POLICY_TYPES, DocumentReader, stack_policies
from sizewell.templates.template import Resource

#: Properties that hold policies, or name them.
_POLICIES = frozenset(
    {
        "AssumeRolePolicyDocument",
        "FileSystemPolicy",
        "KeyPolicy",
        "ManagedPolicyArns",
        "PermissionsBoundary",
        "Policies",
        "Policy",
        "PolicyDocument",
        "RepositoryPolicyText",
        "ResourcePolicy",
    }
)
#: Of services that publish to these, ``publisher_refused`` says more.
_PUBLISHED_TO = ("AWS::SNS::Topic", "AWS::KMS::Key")


@hazard_rule("availability")
def permission_lost(environment: EnvironmentPair) -> Iterator[Found]:
    """Nothing but permissions changes, and one of them is gone."""
    if not environment.diff.changes or not all(map(_changes_permissions, environment.diff.changes)):
        return
    changed = {impact.place for impact in environment.diff.changes}
    for pair in environment.diff.changed_stacks:
        if pair.base is None or pair.head is None:
            continue
        base, head, read = pair.base.resources, pair.head.resources, DocumentReader()
        before, after = stack_policies(base, head, read), stack_policies(head, base, read)
        for change in permission_changes(before, after):
            owner = head.get(change.owner)
            lost = sorted(
                {
                    _shown(permission, change)
                    for permission in _lost(change)
                    if not _is_of_publisher(permission, change, owner)
                }
            )
            if lost and not change.is_gone:
                yield Found(
                    "danger" if environment.production else "warning",
                    pair.name,
                    change.owner if (pair.name, change.owner) in changed else None,
                    owner.path if owner else change.owner,
                    f"no longer allows {listed(lost, 3)}",
                    "Nothing else changes, so what needs this permission is still there, and its requests are denied.",
                    "Make sure that nothing needs it, or keep it.",
                )


def _changes_permissions(impact: ResourceImpact) -> bool:
    return impact.resource_type in POLICY_TYPES or (
        bool(impact.differences)
        and all(difference.path[0] in _POLICIES for difference, _ in impact.differences)
    )


def _lost(change: PermissionChange) -> Iterator[Permission]:
    """Yield of what was allowed that of which no part stays, and what is denied from now on although something allows it.

    What a policy of a resource denies may be allowed by a role that is not in sight.
    """
    allowed = [permission for permission in change.head if permission.effect == "Allow"]
    for permission in change.narrowed:
        whole = Coverage([permission._replace(effect="Allow")])
        if permission.effect == "Allow":
            if not any(map(whole.covers, allowed)):
                yield permission
        elif not refuses_weak_tls(permission) and (not allowed or any(map(whole.covers, allowed))):
            yield permission


def _is_of_publisher(permission: Permission, change: PermissionChange, owner: Resource | None) -> bool:
    """Tell whether nothing is allowed any more to a service that publishes to a topic, or uses a key."""
    return (
        owner is not None
        and owner.resource_type in _PUBLISHED_TO
        and all(pattern.startswith("Service:") for pattern in permission.principal.patterns)
        and not any(other.principal == permission.principal for other in change.head)
    )


def _shown(permission: Permission, change: PermissionChange) -> str:
    return (change.head.get(permission) or change.base[permission]).action
