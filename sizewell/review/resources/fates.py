"""What becomes of each resource, before anybody asks what that does to others."""

from dataclasses import dataclass, field
from typing import Any

from sizewell.review.comparison import StackPair
from sizewell.review.model.resources import Action, Effect
from sizewell.review.resources.differences import Difference, differences
from sizewell.review.resources.effects import effect_of
from sizewell.review.saved.stack import Resource

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
class Fate:
    """One resource on its way to a verdict; the only thing here that changes, while causes arrive."""

    stack: str
    base: Resource | None
    head: Resource | None
    action: Action | None = None
    differences: tuple[tuple[Difference, Effect], ...] = ()
    decided_by: list[str] = field(default_factory=list)
    because_of: str | None = None

    @property
    def resource(self) -> Resource:
        """The resource of head, else that of base."""
        found = self.head or self.base
        assert found is not None
        return found

    @property
    def name(self) -> str:
        """Stack and logical id."""
        return f"{self.stack}/{self.resource.logical_id}"

    def raise_to(self, action: Action, property_path: str, because_of: str) -> bool:
        """Take a worse action for a cause; return whether it is worse."""
        if RANK[action] <= RANK.get(self.action, len(RANK)):
            return False
        self.action = action
        self.because_of = because_of
        if action != "changed":
            self.decided_by = [property_path]
        return True


def own_fates(pair: StackPair) -> list[Fate]:
    """Return the fate of every resource of a stack by its own template, unchanged ones included, by logical id.

    A logical id that is another one for the same construct and type is a replacement: CloudFormation makes the new one
    and deletes the old.
    """
    head = dict(pair.head.resources) if pair.head else {}
    base = head if pair.is_unchanged else dict(pair.base.resources) if pair.base else {}
    fates = [
        _fate(pair.name, base.get(logical_id), head.get(logical_id)) for logical_id in sorted({*base, *head})
    ]
    return _with_renamed(fates)


def _fate(stack: str, base: Resource | None, head: Resource | None) -> Fate:
    if base is None or head is None:
        return Fate(stack, base, head, "added" if base is None else "removed")
    found = _differences(base, head)
    fate = Fate(stack, base, head, differences=tuple(found))
    for _, effect in found:
        action = ACTION_OF[effect]
        if RANK[action] > RANK[fate.action]:
            fate.action = action
    if fate.action is None and found:
        fate.action = "changed"
    decisive: Effect = "replace" if fate.action == "replaced" else "may replace"
    fate.decided_by = [shown_path(d) for d, effect in found if effect == decisive]
    return fate


def shown_path(difference: Difference) -> str:
    """Return the path of a difference with dots."""
    return ".".join(difference.path)


def _differences(base: Resource, head: Resource) -> list[tuple[Difference, Effect]]:
    if base is head or base.is_same_as(head):
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


def _with_renamed(fates: list[Fate]) -> list[Fate]:
    """Join what was removed and what was added under another logical id of the same construct."""
    removed = {_identity(fate.resource): fate for fate in fates if fate.action == "removed"}
    kept: list[Fate] = []
    joined: set[int] = set()
    for fate in fates:
        old = removed.get(_identity(fate.resource)) if fate.action == "added" else None
        # Without a path in the template the logical id is all that there is.
        if old is None or "/" not in fate.resource.path or id(old) in joined:
            kept.append(fate)
            continue
        joined.add(id(old))
        difference = Difference(
            ("LogicalId",), ("LogicalId",), old.resource.logical_id, fate.resource.logical_id
        )
        changed = _differences(old.resource, fate.resource)
        kept.append(
            Fate(
                fate.stack,
                old.base,
                fate.head,
                "replaced",
                ((difference, "replace"), *changed),
                ["LogicalId"],
            )
        )
    return [fate for fate in kept if id(fate) not in joined]


def _identity(resource: Resource) -> tuple[Any, ...]:
    return (resource.resource_type, resource.path)
