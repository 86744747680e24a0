"""Values of a template as far as they are written out.

What CloudFormation works out at deployment (``Ref``, ``Fn::GetAtt``, ``Fn::If`` and their like) is unknown here, and
unknown is never a fault: each function answers None for it.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from sizewell.templates.intrinsics import NO_VALUE, is_intrinsic

_NUMBER = re.compile(r"[-+]?[0-9]+(\.[0-9]+)?")
_TRUTH = {"true": True, "false": False}


def is_given(properties: Mapping[str, Any], key: str) -> bool:
    """Tell whether a property is there for certain: ``Fn::If`` may take it away."""
    value = properties.get(key)
    return value is not None and not (is_intrinsic(value) and "Fn::If" in value)


def number(value: Any) -> float | None:
    """Return a number; CloudFormation takes the text "4" for one as well."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return float(value)
    return None


def flag(value: Any) -> bool | None:
    """Return a truth value; CloudFormation takes the text "true" for one as well."""
    if isinstance(value, bool):
        return value
    return _TRUTH.get(value) if isinstance(value, str) else None


def text(value: Any) -> str | None:
    """Return a text."""
    return value if isinstance(value, str) else None


def mapping(value: Any) -> Mapping[str, Any]:
    """Return a map, empty where it is unknown or something else."""
    return value if isinstance(value, Mapping) and not is_intrinsic(value) else {}


def maps(value: Any) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the maps of a list with their places; what is unknown is left out."""
    if isinstance(value, list):
        for index, item in enumerate(value):
            if isinstance(item, Mapping) and not is_intrinsic(item):
                yield index, item


def count(value: Any) -> int | None:
    """Return how many members a list has, or None where not all of them are written out."""
    if isinstance(value, list) and not any(is_intrinsic(item) for item in value):
        return len(value)
    return None


def show(value: Any) -> str:
    """Return a value as it may stand in a message."""
    if isinstance(value, float) and value.is_integer():
        return f"{value:.0f}"
    return value if isinstance(value, str) else json.dumps(value)


def without_no_value(value: Any) -> Any:
    """Return a copy without what ``AWS::NoValue`` removes: a property that is taken away is not there."""
    if isinstance(value, Mapping):
        return {key: without_no_value(item) for key, item in value.items() if item != NO_VALUE}
    if isinstance(value, list):
        return [without_no_value(item) for item in value if item != NO_VALUE]
    return value
