"""Changes that are known to do no harm: ``harmless.csv``, each with the reason. Whatever is not there may do some."""

import csv
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal, cast

from sizewell.templates.deployment import ResourceImpact
from sizewell.templates.resource_schemas import resource_schema
from sizewell.templates.values import number

_TABLE = Path(__file__).with_name("harmless.csv")
#: The subject of rows about keys of the configuration; all others are about a resource type, or any.
_CONFIGURATION = "configuration"
_ANY = "*"

_Direction = Literal["any", "added", "longer"]


def is_harmless(impact: ResourceImpact) -> bool:
    """Tell whether a resource is updated, not because of another one, and every property that differs is in the table."""
    return (
        impact.action == "changed"
        and impact.because_of is None
        and resource_schema(impact.resource_type) is not None
        and bool(impact.differences)
        and all(
            effect == "update"
            and any(
                _holds(direction, difference.base, difference.head)
                for subject in (_ANY, impact.resource_type)
                if (direction := _table().get((subject, difference.path[0])))
            )
            for difference, effect in impact.differences
        )
    )


def is_harmless_key(key_path: str, base: Any, head: Any) -> bool:
    """Tell whether another value of a key of the configuration, as it is merged, does no harm."""
    return any(
        subject == _CONFIGURATION
        and _matches(key.split("."), key_path.split("."))
        and _holds(direction, base, head)
        for (subject, key), direction in _table().items()
    )


def _matches(pattern: Sequence[str], path: Sequence[str]) -> bool:
    return len(pattern) == len(path) and all(
        allowed in (_ANY, part) for allowed, part in zip(pattern, path, strict=True)
    )


def _holds(direction: _Direction, base: Any, head: Any) -> bool:
    if direction == "longer":
        before, after = number(base), number(head)
        # Without a number logs are kept for ever.
        return before is not None and (head is None or (after is not None and after > before))
    return direction == "any" or base is None


@cache
def _table() -> dict[tuple[str, str], _Direction]:
    with _TABLE.open(encoding="utf-8", newline="") as file:
        return {
            (row["subject"], row["property"]): cast(_Direction, row["direction"])
            for row in csv.DictReader(file)
        }
