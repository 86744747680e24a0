"""Where two canonical values differ, to the smallest part that has a name, and what CloudFormation does about it."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from sizewell.templates.resource_schemas import PropertyPath, resource_schema
from sizewell.templates.template import Difference, Effect

#: What tells the maps of a list apart, in the words of CloudFormation.
_NAMES = (
    "Key",
    "Name",
    "VariantName",
    "Id",
    "PolicyName",
    "AttributeName",
    "ContainerHostname",
    "DeviceName",
)


def differences(
    base: Any, head: Any, path: tuple[str, ...] = (), schema_path: tuple[str, ...] = ()
) -> Iterator[Difference]:
    """Yield what differs, in the order of the keys; nothing for equal values. A list in another order differs as a whole."""
    if base is head or base == head:
        return
    if isinstance(base, Mapping) and isinstance(head, Mapping):
        for key in sorted({*base, *head}):
            yield from differences(base.get(key), head.get(key), (*path, key), (*schema_path, key))
    elif isinstance(base, list) and isinstance(head, list) and not _is_reordered(base, head):
        for name, one, other in _aligned(base, head):
            yield from differences(one, other, (*path, name), (*schema_path, "*"))
    else:
        yield Difference(path, schema_path, base, head)


def _aligned(base: Sequence[Any], head: Sequence[Any]) -> Iterator[tuple[str, Any, Any]]:
    """Yield the items that belong together: by name, else by position, else those that only one side has."""
    if name := _common_name(base, head):
        ours, theirs = ({str(item[name]): item for item in side} for side in (base, head))
        for key in (*ours, *(key for key in theirs if key not in ours)):
            yield key, ours.get(key), theirs.get(key)
    elif len(base) == len(head) and not (_are_texts(base) and _are_texts(head)):
        for position, (one, other) in enumerate(zip(base, head, strict=True)):
            yield str(position), one, other
    else:
        # By position what was inserted at the front would make every item another one.
        only_base = _without(base, head)
        only_head = _without(head, base)
        for position in range(max(len(only_base), len(only_head))):
            yield (
                str(position),
                only_base[position] if position < len(only_base) else None,
                only_head[position] if position < len(only_head) else None,
            )


def _common_name(base: Sequence[Any], head: Sequence[Any]) -> str | None:
    items = [*base, *head]
    if not items or not all(isinstance(item, Mapping) for item in items):
        return None
    for name in _NAMES:
        if all(isinstance(item.get(name), str) for item in items) and all(
            len({item[name] for item in side}) == len(side) for side in (base, head)
        ):
            return name
    return None


def name_of(item: Any) -> str | None:
    """Return what tells an item of a list from the others; None where nothing does."""
    if isinstance(item, Mapping):
        return next((item[name] for name in _NAMES if isinstance(item.get(name), str)), None)
    return None


def value_at(value: Any, path: Sequence[str]) -> Any:
    """Return what is at a path, in which the item of a list has its name or its position; None where nothing is."""
    for name in path:
        if isinstance(value, Mapping):
            value = value.get(name)
        elif isinstance(value, list):
            named = (item for item in value if name_of(item) == name)
            by_position = value[int(name)] if name.isdecimal() and int(name) < len(value) else None
            value = next(named, by_position)
        else:
            return None
    return value


def _are_texts(items: Sequence[Any]) -> bool:
    return all(isinstance(item, str) for item in items)


def _is_reordered(base: Sequence[Any], head: Sequence[Any]) -> bool:
    return len(base) == len(head) and not _without(base, head)


def _without(items: Sequence[Any], others: Sequence[Any]) -> list[Any]:
    left = [repr(item) for item in others]
    kept = []
    for item in items:
        key = repr(item)
        if key in left:
            left.remove(key)
        else:
            kept.append(item)
    return kept


_CASES = Path(__file__).with_name("conditional_cases.csv")


def effect_of(resource_type: str, difference: Difference) -> Effect:
    """Return the effect of a property's difference, by the create-only properties of the type's schema.

    A custom resource is updated: what its function then does, only the function knows. Of any other type without a
    schema nothing is known, so it may be replaced.
    """
    schema = resource_schema(resource_type)
    if schema is None:
        return "update" if is_custom(resource_type) else "may replace"
    if any(_touches(path, difference) for path in schema.create_only):
        return "replace"
    if any(_touches(path, difference) for path in schema.conditional):
        return _conditional(resource_type, difference)
    return "update"


def is_custom(resource_type: str) -> bool:
    """Tell whether a function of the account does the work."""
    return resource_type.startswith("Custom::") or resource_type == "AWS::CloudFormation::CustomResource"


def _touches(path: PropertyPath, difference: Difference) -> bool:
    """Tell whether the value at a schema's path is another one."""
    changed = difference.schema_path
    if len(changed) >= len(path):
        return all(_same(a, b) for a, b in zip(path, changed[: len(path)], strict=True))
    if not all(_same(a, b) for a, b in zip(path, changed, strict=False)):
        return False
    rest = path[len(changed) :]
    return _values_at(difference.base, rest) != _values_at(difference.head, rest)


def _same(of_schema: str, changed: str) -> bool:
    return of_schema in ("*", changed)


def _values_at(value: Any, path: PropertyPath) -> list[Any]:
    if not path:
        return [value]
    first, rest = path[0], path[1:]
    if first == "*":
        items = (
            value if isinstance(value, list) else list(value.values()) if isinstance(value, Mapping) else []
        )
        return [found for item in items for found in _values_at(item, rest)]
    return _values_at(value[first], rest) if isinstance(value, Mapping) and first in value else []


def _conditional(resource_type: str, difference: Difference) -> Effect:
    key = (resource_type, "/".join(difference.schema_path))
    for base, head, effect in _cases().get(key, ()):
        if base in ("*", difference.base) and head in ("*", difference.head):
            return effect
    return "may replace"


@cache
def _cases() -> dict[tuple[str, str], list[tuple[str, str, Effect]]]:
    """Return the cases where the documentation says what the values decide."""
    cases: dict[tuple[str, str], list[tuple[str, str, Effect]]] = {}
    with _CASES.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            effect: Effect = "replace" if row["effect"] == "replace" else "update"
            cases.setdefault((row["resource_type"], row["property"]), []).append(
                (row["base"], row["head"], effect)
            )
    return cases
