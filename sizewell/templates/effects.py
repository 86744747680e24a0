"""What CloudFormation does with a resource when a property changes."""

import csv
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal

from sizewell.templates.differences import Difference
from sizewell.templates.resource_schemas import PropertyPath, resource_schema

Effect = Literal["none", "update", "replace", "may replace"]
"""What CloudFormation does with the resource; ``none`` is an attribute that it obeys without touching the resource."""

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
