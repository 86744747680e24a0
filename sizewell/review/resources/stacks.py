"""What differs in a stack beside its resources."""

from collections.abc import Iterator
from typing import Any

from sizewell.review.model import StackChange
from sizewell.review.words import shown_pair
from sizewell.templates.differences import differences
from sizewell.templates.template import Stack, StackPair

#: Sections whose differences are shown by the names in them.
_SECTIONS = ("Parameters", "Mappings", "Conditions", "Outputs", "Transform", "Rules")


def stack_change(pair: StackPair) -> StackChange | None:
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
