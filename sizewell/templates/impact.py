"""What CloudFormation does with each resource of a stack, by the template of that stack alone."""

from dataclasses import dataclass, field
from typing import Any, Literal

from sizewell.templates.differences import Difference, Effect, differences, effect_of
from sizewell.templates.stateful import is_stateful
from sizewell.templates.template import Resource, ResourcePair, StackPair

Action = Literal["added", "changed", "replaced", "may be replaced", "removed"]
REPLACED: tuple[Action, ...] = ("replaced", "may be replaced")

#: Rank of the actions that an existing resource can suffer: a cause may raise the action, never lower it.
RANK: dict[Action | None, int] = {None: 0, "changed": 1, "may be replaced": 2, "replaced": 3}
ACTION_OF: dict[Effect, Action | None] = {
    "none": None,
    "update": "changed",
    "may replace": "may be replaced",
    "replace": "replaced",
}
#: Attributes beside the properties that CloudFormation obeys without touching the resource.
_TYPE = "Type"
#: A condition that only the deployment knows may take the resource away, or bring it.
_CONDITION = "Condition"


@dataclass
class ResourceImpact:
    """What the deployment does with one resource; a cause elsewhere may still raise it (``propagation``)."""

    stack: str
    base: Resource | None
    head: Resource | None
    """Of another logical id than base where the same construct got another one."""
    action: Action | None = None
    """None where CloudFormation leaves it alone."""
    differences: tuple[tuple[Difference, Effect], ...] = ()
    decided_by: list[str] = field(default_factory=list)
    """The paths of the properties that replace it."""
    because_of: str | None = None
    """Stack and logical id of what is replaced or changed, where that decides."""

    @property
    def resource(self) -> Resource:
        """The resource of head, else that of base."""
        found = self.head or self.base
        assert found is not None
        return found

    @property
    def logical_id(self) -> str:
        """That of head, else that of base."""
        return self.resource.logical_id

    @property
    def resource_type(self) -> str:
        """That of head, else that of base."""
        return self.resource.resource_type

    @property
    def path(self) -> str:
        """Of the construct."""
        return self.resource.path

    @property
    def place(self) -> tuple[str, str]:
        """Stack and logical id."""
        return self.stack, self.logical_id

    @property
    def name(self) -> str:
        """Stack and logical id, to show."""
        return f"{self.stack}/{self.logical_id}"

    @property
    def is_replaced(self) -> bool:
        """Whether it is, or may be, replaced."""
        return self.action in REPLACED

    @property
    def is_stateful(self) -> bool:
        """Whether it holds data, keys or identities."""
        return is_stateful((self.base or self.resource).resource_type)

    @property
    def is_retained(self) -> bool:
        """Whether the old one outlives the change: CloudFormation goes by the template that is deployed last.

        What a template does not have any more is deleted by the policy that the last one gave it; what is replaced, by
        the ``UpdateReplacePolicy`` of the new one.
        """
        if self.action == "removed":
            return self.resource.retained
        return str(self.resource.attributes.get("UpdateReplacePolicy", "Delete")) in ("Retain", "Snapshot")

    def raise_to(self, action: Action, property_path: str, because_of: str) -> bool:
        """Take a worse action for a cause; return whether it is worse."""
        if RANK[action] <= RANK.get(self.action, len(RANK)):
            return False
        self.action = action
        self.because_of = because_of
        if action != "changed":
            self.decided_by = [property_path]
        return True


def own_impacts(stacks: StackPair) -> list[ResourceImpact]:
    """Return the impact on every resource of a stack, unchanged ones included, by logical id.

    A logical id that is another one for the same construct and type is a replacement: CloudFormation makes the new one
    and deletes the old.
    """
    return _with_renamed([_impact(pair) for pair in stacks.resources])


def _impact(pair: ResourcePair) -> ResourceImpact:
    base, head, stack = pair.base, pair.head, pair.stack.name
    if base is None or head is None:
        return ResourceImpact(stack, base, head, "added" if base is None else "removed")
    found = _differences(base, head)
    impact = ResourceImpact(stack, base, head, differences=tuple(found))
    for _, effect in found:
        action = ACTION_OF[effect]
        if RANK[action] > RANK[impact.action]:
            impact.action = action
    if impact.action is None and found:
        impact.action = "changed"
    decisive: Effect = "replace" if impact.action == "replaced" else "may replace"
    impact.decided_by = [shown_path(d) for d, effect in found if effect == decisive]
    return impact


def shown_path(difference: Difference) -> str:
    """Return the path of a difference with dots."""
    return ".".join(difference.path)


def _differences(base: Resource, head: Resource) -> list[tuple[Difference, Effect]]:
    if base is head:
        return []
    if base.resource_type != head.resource_type:
        return [(Difference((_TYPE,), (_TYPE,), base.resource_type, head.resource_type), "replace")]
    found: list[tuple[Difference, Effect]] = [
        (difference, effect_of(head.resource_type, difference))
        for difference in differences(base.properties, head.properties)
    ]
    attributes: list[tuple[Difference, Effect]] = [
        (difference, "may replace" if difference.path[0] == _CONDITION else "none")
        for difference in differences(base.attributes, head.attributes)
    ]
    return found + attributes


def _with_renamed(impacts: list[ResourceImpact]) -> list[ResourceImpact]:
    """Join what was removed and what was added under another logical id of the same construct."""
    removed = {_identity(impact.resource): impact for impact in impacts if impact.action == "removed"}
    kept: list[ResourceImpact] = []
    joined: set[int] = set()
    for impact in impacts:
        old = removed.get(_identity(impact.resource)) if impact.action == "added" else None
        # Without a path in the template the logical id is all that there is.
        if old is None or "/" not in impact.resource.path or id(old) in joined:
            kept.append(impact)
            continue
        joined.add(id(old))
        difference = Difference(
            ("LogicalId",), ("LogicalId",), old.resource.logical_id, impact.resource.logical_id
        )
        changed = _differences(old.resource, impact.resource)
        kept.append(
            ResourceImpact(
                impact.stack,
                old.base,
                impact.head,
                "replaced",
                ((difference, "replace"), *changed),
                ["LogicalId"],
            )
        )
    return [impact for impact in kept if id(impact) not in joined]


def _identity(resource: Resource) -> tuple[Any, ...]:
    return (resource.resource_type, resource.path)
