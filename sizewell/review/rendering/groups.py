"""What is said once although it holds several times: in several environments, for several actions."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from sizewell.review.model import (
    EnvironmentCost,
    Grant,
    IamChange,
    Note,
    Review,
    SecurityChange,
    SelectionChange,
    WorkloadCost,
)
from sizewell.review.rendering.words import listed
from sizewell.review.words import counted
from sizewell.templates.deployment import ACTIONS

#: What a change of security says, whatever it is about.
_SAYS = ("rule", "direction", "base", "head", "why")
#: What became of the lock of a choice that stays.
_LOCKS = {
    "unlocked": "the same type, no longer locked",
    "locked": "the same type, now locked",
    "stale": "the same type, but the lock is stale",
    "infeasible": "the same type, but the lock cannot be used",
}
Located = TypeVar("Located", SecurityChange, SelectionChange)


@dataclass(frozen=True, slots=True)
class Shared(Generic[Located]):
    """A finding, and all environments in which it is the same."""

    finding: Located
    environments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Permission:
    """Grants that differ in action and resource only."""

    effect: str
    principal: str
    actions: tuple[str, ...]
    resources: tuple[str, ...]
    condition: str


@dataclass(frozen=True, slots=True)
class PolicyChange:
    """A change of a policy with its grants put together."""

    change: IamChange
    permissions: tuple[Permission, ...]


@dataclass(frozen=True, slots=True)
class Tally:
    """What the resources of a part have in common: how many of them there are for each action."""

    action: str
    count: int


def across_environments(findings: Iterable[Located]) -> list[Shared[Located]]:
    """Return findings in their order, those that say the same of several environments once."""
    found: dict[Located, list[Located]] = {}
    for finding in findings:
        found.setdefault(_anywhere(finding), []).append(finding)
    return [Shared(same[0], _distinct(finding.environment for finding in same)) for same in found.values()]


def security_changes(review: Review, *directions: str) -> list[Shared[SecurityChange]]:
    """Return the changes of these directions, in the order of the directions; the same of several things is one."""
    others = review.security.others
    shared = across_environments(change for way in directions for change in others if change.direction == way)
    found: dict[tuple[object, ...], list[Shared[SecurityChange]]] = {}
    for same in shared:
        key = (same.environments, *(getattr(same.finding, name) for name in _SAYS))
        found.setdefault(key, []).append(same)
    return [_of_all(same) for same in found.values()]


def _of_all(same: Sequence[Shared[SecurityChange]]) -> Shared[SecurityChange]:
    first = same[0]
    if len(same) == 1:
        return first
    subjects = listed([shared.finding.subject for shared in same])
    return Shared(
        first.finding.model_copy(update={"subject": f"{len(same)} times: {subjects}"}), first.environments
    )


def policy_changes(review: Review, direction: str) -> list[PolicyChange]:
    """Return what was broadened, or narrowed, with readable permissions."""
    return [
        PolicyChange(change, permissions(change.grants))
        for change in review.security.iam
        if change.direction == direction
    ]


def permissions(grants: Iterable[Grant]) -> tuple[Permission, ...]:
    """Return grants put together: first the actions on one resource, then the resources with the same actions."""
    by_resource: dict[tuple[str, str, str, str], list[str]] = {}
    for grant in grants:
        key = (grant.effect, grant.principal, grant.resource, grant.condition)
        by_resource.setdefault(key, []).append(grant.action)
    by_actions: dict[tuple[str, str, tuple[str, ...], str], list[str]] = {}
    for (effect, principal, resource, condition), actions in by_resource.items():
        by_actions.setdefault((effect, principal, _distinct(actions), condition), []).append(resource)
    return tuple(
        Permission(effect, principal, actions, tuple(resources), condition)
        for (effect, principal, actions, condition), resources in by_actions.items()
    )


def security_counts(review: Review) -> str:
    """Return how much of the protection changes in which way: findings, and the places in which they are."""
    found = [_way(review, way) for way in ("weaker", "broadened", "neutral", "stronger", "narrowed")]
    if count := review.security.unchanged_grant_count:
        found.append(f"{counted(count, 'grant')} of changed stacks unchanged")
    return ", ".join(filter(None, found))


def _way(review: Review, way: str) -> str:
    ways = (
        change.direction for changes in (review.security.iam, review.security.others) for change in changes
    )
    places = sum(direction == way for direction in ways)
    if not places or way in {"broadened", "narrowed"}:
        return f"{counted(places, 'policy', 'policies')} {way}" if places else ""
    blocks = len(security_changes(review, way))
    return f"{counted(blocks, 'finding')} {way}" + (
        f" in {counted(places, 'place')}" if blocks < places else ""
    )


def failures(review: Review) -> tuple[Note, ...]:
    """Return the notes that say why head does not synthesize."""
    return tuple(note for note in review.notes if note.severity == "danger" and note.detail)


def remarks(review: Review) -> tuple[Note, ...]:
    """Return all other notes."""
    return tuple(note for note in review.notes if note not in failures(review))


def shown_costs(review: Review) -> tuple[EnvironmentCost, ...]:
    """Return the bills to show: none where nothing has changed at all."""
    return () if review.verdict.level == "no change" else review.cost


def changed_workloads(cost: EnvironmentCost) -> tuple[WorkloadCost, ...]:
    """Return those whose bill differs, in the order of the model."""
    return tuple(
        workload
        for workload in cost.workloads
        if workload.base != workload.head or workload.causes or workload.once
    )


def selection_title(change: SelectionChange) -> str:
    """Return what happened to a choice in a few words."""
    base, head = change.base, change.head
    if base is None or head is None:
        return "new workload" if base is None else "workload removed"
    if change.base_kind is not None:
        return "another service"
    if base.instance_type != head.instance_type:
        return "another type"
    if base.instance_count != head.instance_count:
        return "another number of instances"
    return _LOCKS[head.lock] if base.lock != head.lock else "another price or estimate"


def tally(actions: Iterable[str]) -> tuple[Tally, ...]:
    """Return how often each action occurs, the worst first."""
    found = list(actions)
    return tuple(Tally(action, found.count(action)) for action in ACTIONS if action in found)


def _anywhere(finding: Located) -> Located:
    nowhere = {name: "" for name in ("environment", "stack") if name in type(finding).model_fields}
    return finding.model_copy(update=nowhere)


def _distinct(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
