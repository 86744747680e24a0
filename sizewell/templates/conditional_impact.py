"""What a changed condition does to the resources and properties that hang on it.

A condition that can be worked out has decided already: its resource is there or not, and the branch of ``Fn::If`` is the
value. What is left is known at the deployment only.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sizewell.templates.differences import Difference, differences, effect_of
from sizewell.templates.impact import ACTION_OF, Action, ResourceImpact
from sizewell.templates.template import StackPair
from sizewell.templates.values import mapping

_IF = "Fn::If"
_FIND = "Fn::FindInMap"


def apply_conditions(stacks: Sequence[StackPair], impacts: Iterable[ResourceImpact]) -> None:
    """Raise the impacts of what hangs on a condition, or on a mapping, that is another one."""
    changed = {pair.name: _changed_names(pair) for pair in stacks if not pair.is_unchanged}
    for impact in impacts:
        names = changed.get(impact.stack)
        if not names or impact.base is None or impact.head is None:
            continue
        condition = impact.head.attributes.get("Condition")
        if condition in names:
            impact.raise_to("may be replaced", "Condition", f"{impact.stack}/{condition}")
        for name, value in impact.head.properties.items():
            if used := next((one for one in _used(value) if one in names), None):
                effect = effect_of(impact.head.resource_type, Difference((name,), (name,), None, value))
                action: Action = ACTION_OF[effect] or "changed"
                impact.raise_to(
                    "may be replaced" if action == "replaced" else action, name, f"{impact.stack}/{used}"
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
