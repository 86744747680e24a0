"""What a canonical value refers to."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from review.canonical.intrinsics import SUB_VARIABLE


@dataclass(frozen=True, slots=True)
class Reference:
    """A parameter or resource of the template, and its attribute where one is read."""

    name: str
    attribute: str | None = None
    """None is what ``Ref`` gives."""


def references_in(value: Any) -> Iterator[Reference]:
    """Yield every reference in a canonical value, in order; pseudo parameters are none."""
    if isinstance(value, str):
        if "${" in value:
            for found in SUB_VARIABLE.finditer(value):
                name = found[1]
                if not name.startswith(("!", "AWS::")):
                    head, _, attribute = name.partition(".")
                    yield Reference(head, attribute or None)
    elif isinstance(value, dict):
        for item in value.values():
            yield from references_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from references_in(item)
