"""The resources of one environment on both sides."""

from collections.abc import Iterator

from sizewell.review.comparison import EnvironmentPair
from sizewell.review.model.resources import Action, PropertyChange, ResourceChange, Resources
from sizewell.review.resources.fates import Fate, own_fates, shown_path
from sizewell.review.resources.propagation import propagate, reach_other_stacks
from sizewell.review.resources.shown import LONG, shown_pair
from sizewell.review.resources.stacks import is_moved, stack_change
from sizewell.review.resources.stateful import is_stateful

#: The most dangerous first.
_ORDER: tuple[Action, ...] = ("replaced", "may be replaced", "removed", "changed", "added")
#: More differences of one resource are counted, not listed.
MAX_PROPERTIES = 40


def compare_resources(pair: EnvironmentPair) -> Resources:
    """Return what becomes of the resources and stacks of an environment, the most dangerous first.

    A stack that goes to another account or region is reported as such, without its resources: none of them is updated.
    """
    changed = [stacks for stacks in pair.stacks if not stacks.is_unchanged and not is_moved(stacks)]
    unchanged = [stacks for stacks in pair.stacks if stacks.is_unchanged]
    fates = [fate for stacks in changed for fate in own_fates(stacks)]
    untouched = 0
    if reach_other_stacks(changed):
        fates += [fate for stacks in unchanged for fate in own_fates(stacks)]
    else:
        untouched = sum(len(stacks.head.resources) for stacks in unchanged if stacks.head)
    propagate(pair, fates)
    changes = [_change(pair.name, fate) for fate in fates if fate.action]
    return Resources(
        changes=tuple(sorted(changes, key=_order)),
        stacks=tuple(
            change for stacks in pair.stacks if not stacks.is_unchanged and (change := stack_change(stacks))
        ),
        unchanged_count=untouched + len(fates) - len(changes),
    )


def _order(change: ResourceChange) -> tuple[bool, int, bool, str, str]:
    dangerous = change.stateful and change.action in ("replaced", "may be replaced", "removed")
    return (
        not dangerous,
        _ORDER.index(change.action),
        change.because_of is not None,
        change.stack,
        change.logical_id,
    )


def _change(environment: str, fate: Fate) -> ResourceChange:
    resource = fate.resource
    assert fate.action is not None
    old = fate.base
    properties = tuple(_properties(fate))
    return ResourceChange(
        environment=environment,
        stack=fate.stack,
        logical_id=resource.logical_id,
        resource_type=resource.resource_type,
        path=resource.path,
        action=fate.action,
        decided_by=tuple(sorted(set(fate.decided_by))),
        because_of=fate.because_of,
        stateful=is_stateful((old or resource).resource_type),
        retained=_is_retained(fate),
        properties=properties,
        diff="\n".join(_lines(fate)),
    )


def _is_retained(fate: Fate) -> bool:
    """Tell whether the old one outlives the change: CloudFormation goes by the template that is deployed last.

    What a template does not have any more is deleted by the policy that the last one gave it; what is replaced, by
    the ``UpdateReplacePolicy`` of the new one.
    """
    if fate.action == "removed":
        return fate.resource.retained
    return str(fate.resource.attributes.get("UpdateReplacePolicy", "Delete")) in ("Retain", "Snapshot")


def _properties(fate: Fate) -> Iterator[PropertyChange]:
    for difference, effect in fate.differences[:MAX_PROPERTIES]:
        base, head = shown_pair(difference.base, difference.head)
        yield PropertyChange(path=shown_path(difference), base=base, head=head, effect=effect)


def _lines(fate: Fate) -> Iterator[str]:
    for difference, _ in fate.differences[:MAX_PROPERTIES]:
        base, head = shown_pair(difference.base, difference.head, LONG)
        if base:
            yield f"- {shown_path(difference)}: {base}"
        if head:
            yield f"+ {shown_path(difference)}: {head}"
    if (more := len(fate.differences) - MAX_PROPERTIES) > 0:
        yield f"  ... {more} more"
