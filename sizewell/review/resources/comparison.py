"""The resources of one environment on both sides."""

from collections.abc import Iterator

from sizewell.review.comparison import EnvironmentPair
from sizewell.review.harmless import is_harmless
from sizewell.review.model import PropertyChange, ResourceChange, Resources
from sizewell.review.resources.stacks import stack_change
from sizewell.review.words import LONG, shown_pair
from sizewell.templates.deployment import ACTIONS, REPLACED, ResourceImpact

#: More differences of one resource are counted, not listed.
MAX_PROPERTIES = 40


def compare_resources(pair: EnvironmentPair) -> Resources:
    """Return what becomes of the resources and stacks of an environment, the most dangerous first.

    A stack that goes to another account or region is reported as such, without its resources: none of them is updated.
    """
    diff = pair.diff
    changes = [_change(pair.name, impact) for impact in diff.changes]
    return Resources(
        changes=tuple(sorted(changes, key=_order)),
        stacks=tuple(
            change for stacks in pair.stacks if not stacks.is_unchanged and (change := stack_change(stacks))
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


def _change(environment: str, impact: ResourceImpact) -> ResourceChange:
    assert impact.action is not None
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
        harmless=is_harmless(impact),
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
