"""What a changed condition does to the resources and properties that hang on it.

A condition that can be worked out has decided already: its resource is there or not, and the branch of ``Fn::If`` is the
value. What is left is known at the deployment only.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sizewell.checks.literals import mapping
from sizewell.review.comparison import EnvironmentPair, StackPair
from sizewell.review.model.resources import Action
from sizewell.review.resources.differences import Difference, differences
from sizewell.review.resources.effects import effect_of
from sizewell.review.resources.fates import ACTION_OF, Fate

_IF = "Fn::If"
_FIND = "Fn::FindInMap"


def apply_conditions(pair: EnvironmentPair, fates: Iterable[Fate]) -> None:
    """Raise the fates of what hangs on a condition, or on a mapping, that is another one."""
    changed = {stacks.name: _changed_names(stacks) for stacks in pair.stacks if not stacks.is_unchanged}
    for fate in fates:
        names = changed.get(fate.stack)
        if not names or fate.base is None or fate.head is None:
            continue
        condition = fate.head.attributes.get("Condition")
        if condition in names:
            fate.raise_to("may be replaced", "Condition", f"{fate.stack}/{condition}")
        for name, value in fate.head.properties.items():
            if used := next((one for one in _used(value) if one in names), None):
                effect = effect_of(fate.head.resource_type, Difference((name,), (name,), None, value))
                action: Action = ACTION_OF[effect] or "changed"
                fate.raise_to(
                    "may be replaced" if action == "replaced" else action, name, f"{fate.stack}/{used}"
                )


def _changed_names(pair: StackPair) -> frozenset[str]:
    """Return the conditions and mappings that differ, and the conditions that are made of those."""
    if pair.base is None or pair.head is None:
        return frozenset()
    names: set[str] = set()
    for section in ("Conditions", "Mappings"):
        base, head = (mapping(side.sections.get(section)) for side in (pair.base, pair.head))
        names |= {difference.path[0] for difference in differences(base, head) if difference.path}
    conditions = mapping(pair.head.sections.get("Conditions"))
    while more := {
        name for name, body in conditions.items() if name not in names and names & set(_referred(body))
    }:
        names |= more
    return frozenset(names)


def _referred(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            if key == "Condition" and isinstance(item, str):
                yield item
            else:
                yield from _referred(item)
    elif isinstance(value, list):
        for item in value:
            yield from _referred(item)


def _used(value: Any) -> Iterator[str]:
    """Yield the conditions and mappings that a canonical value still hangs on."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            if key in (_IF, _FIND) and isinstance(item, list) and item and isinstance(item[0], str):
                yield item[0]
            yield from _used(item)
    elif isinstance(value, list):
        for item in value:
            yield from _used(item)
