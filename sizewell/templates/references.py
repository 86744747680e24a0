"""What a canonical value refers to."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sizewell.templates.intrinsics import SUB_VARIABLE


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


def mentioned_names(value: Any) -> set[tuple[str, bool]]:
    """Return every name that a value as it was written may refer to, and whether it is that of an export.

    Cheaper than canonical spelling, and never less than that would give.
    """
    found: set[tuple[str, bool]] = set()
    nodes = [value]
    while nodes:
        node = nodes.pop()
        if isinstance(node, dict):
            for key, item in node.items():
                if key == "Ref" and isinstance(item, str):
                    found.add((item, False))
                elif key == "Fn::GetAtt":
                    first = item[0] if isinstance(item, list) and item else item
                    if isinstance(first, str):
                        found.add((first.partition(".")[0], False))
                elif key == "Fn::ImportValue" and isinstance(item, str):
                    found.add((item, True))
                elif isinstance(item, str):
                    if "${" in item:
                        found.update((reference.name, False) for reference in references_in(item))
                else:
                    nodes.append(item)
        elif isinstance(node, list):
            nodes.extend(node)
        elif isinstance(node, str) and "${" in node:
            found.update((reference.name, False) for reference in references_in(node))
    return found
