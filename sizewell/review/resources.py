"""What CloudFormation will do with the resources and stacks of one environment."""

from collections.abc import Iterator, Set
from typing import Any

from sizewell.review.comparison import EnvironmentPair
from sizewell.review.consequences.find import Consequences
from sizewell.review.model import PropertyChange, ResourceChange, Resources, StackChange
from sizewell.review.words import LONG, shown_pair
from sizewell.templates.deployment import ACTIONS, REPLACED, ResourceImpact
from sizewell.templates.differences import differences
from sizewell.templates.template import Stack, StackPair

#: More differences of one resource are counted, not listed.
MAX_PROPERTIES = 40
#: Sections whose differences are shown by the names in them.
_SECTIONS = ("Parameters", "Mappings", "Conditions", "Outputs", "Transform", "Rules")


def compare_resources(pair: EnvironmentPair) -> Resources:
    """Return what becomes of the resources and stacks of an environment, the most dangerous first.

    A stack that goes to another account or region is reported as such, without its resources: none of them is updated.
    """
    diff = pair.diff
    consequences = pair.consequences
    # A rule that finds nothing does not know that a change does no harm.
    harmful = consequences.left_to_rules | {consequence.impact.place for consequence in consequences.known}
    changes = [_change(pair.name, impact, consequences, harmful) for impact in diff.changes]
    return Resources(
        changes=tuple(sorted(changes, key=_order)),
        stacks=tuple(
            change for stacks in pair.stacks if not stacks.is_unchanged and (change := _stack_change(stacks))
        ),
        unchanged_count=diff.untouched_count + len(diff.impacts) - len(changes),
    )


def _order(change: ResourceChange) -> tuple[bool, int, bool, str, str]:
    dangerous = change.stateful and change.action in (*REPLACED, "removed")
    return (
        not dangerous,
        ACTIONS.index(change.action),
        change.because_of is not None,
        change.stack,
        change.logical_id,
    )


def _change(
    environment: str, impact: ResourceImpact, consequences: Consequences, harmful: Set[tuple[str, str]]
) -> ResourceChange:
    assert impact.action is not None
    unknown = consequences.unknown.get(impact.place, ())
    return ResourceChange(
        environment=environment,
        stack=impact.stack,
        logical_id=impact.logical_id,
        resource_type=impact.resource_type,
        path=impact.path,
        action=impact.action,
        decided_by=tuple(sorted(set(impact.decided_by))),
        because_of=impact.because_of,
        stateful=impact.is_stateful,
        retained=impact.is_retained,
        harmless=not unknown and impact.place not in harmful and not impact.is_replaced,
        unknown=unknown,
        properties=tuple(_properties(impact)),
        diff="\n".join(_lines(impact)),
    )


def _properties(impact: ResourceImpact) -> Iterator[PropertyChange]:
    for difference, effect in impact.differences[:MAX_PROPERTIES]:
        base, head = shown_pair(difference.base, difference.head)
        yield PropertyChange(path=difference.shown_path, base=base, head=head, effect=effect)


def _lines(impact: ResourceImpact) -> Iterator[str]:
    for difference, _ in impact.differences[:MAX_PROPERTIES]:
        base, head = shown_pair(difference.base, difference.head, LONG)
        if base:
            yield f"- {difference.shown_path}: {base}"
        if head:
            yield f"+ {difference.shown_path}: {head}"
    if (more := len(impact.differences) - MAX_PROPERTIES) > 0:
        yield f"  ... {more} more"


def _stack_change(pair: StackPair) -> StackChange | None:
    """Return what becomes of a stack; None when nothing does beside its resources."""
    if pair.base is None or pair.head is None:
        stack = pair.head or pair.base
        assert stack is not None
        return StackChange(
            environment=pair.environment,
            stack=pair.name,
            action="added" if pair.base is None else "removed",
            resource_count=len(stack.resources),
        )
    details = (*_moved(pair.base, pair.head), *_details(pair.base, pair.head))
    if not details:
        return None
    return StackChange(
        environment=pair.environment,
        stack=pair.name,
        action="changed",
        resource_count=len(pair.head.resources),
        details=details,
    )


def _moved(base: Stack, head: Stack) -> Iterator[str]:
    for what, ours, theirs in (
        ("account", base.account, head.account),
        ("region", base.region, head.region),
    ):
        if ours and theirs and ours != theirs:
            yield f"{what} {ours} → {theirs}: a new stack is created there, and the old one stays until somebody deletes it"
        elif ours != theirs:
            yield f"{what} {ours or 'of the deployment'} → {theirs or 'of the deployment'}"


def _details(base: Stack, head: Stack) -> Iterator[str]:
    ours, theirs = base.sections, head.sections
    for section in _SECTIONS:
        for name, one, other in _named(ours.get(section), theirs.get(section)):
            for difference in differences(one, other, (section, *name)):
                before, after = shown_pair(difference.base, difference.head)
                yield f"{difference.shown_path}: {before or '(none)'} → {after or '(none)'}"


def _named(base: Any, head: Any) -> Iterator[tuple[tuple[str, ...], Any, Any]]:
    if isinstance(base or {}, dict) and isinstance(head or {}, dict):
        base, head = base or {}, head or {}
        for name in sorted({*base, *head}):
            yield (name,), base.get(name), head.get(name)
    else:
        yield (), base, head
