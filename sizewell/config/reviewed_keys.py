"""What the fields of the configuration say to a reviewer, by key path."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Annotated, Any, get_args, get_origin

from pydantic import BaseModel

from sizewell.config.effects import Effect, SelectionNeed
from sizewell.config.kind import environment_model
from sizewell.config.tree import KeyPath

#: Stands in a pattern for a name that the user chooses, or for the place in a list.
ANY_NAME = "*"


#: The kind of workload that a field is of (None: not of one kind), the pattern of its path, and what it says.
ReviewedKey = tuple[str | None, KeyPath, Effect | SelectionNeed]


@lru_cache(maxsize=1)
def reviewed_keys() -> tuple[ReviewedKey, ...]:
    """Return the patterns of key paths with their effects and needs, in the order of the fields."""
    return tuple(dict.fromkeys(_of_type(environment_model(), (), None)))


def _of_type(annotation: Any, path: KeyPath, kind: str | None) -> Iterator[ReviewedKey]:
    if get_origin(annotation) is Annotated:
        annotation, *metadata = get_args(annotation)
        yield from _of_metadata(metadata, path, kind)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        if "kind" in annotation.model_fields:
            (kind,) = get_args(annotation.model_fields["kind"].annotation)
        for key, field in annotation.model_fields.items():
            yield from _of_metadata(field.metadata, (*path, key), kind)
            yield from _of_type(field.annotation, (*path, key), kind)
    elif get_origin(annotation) is dict:
        yield from _of_type(get_args(annotation)[1], (*path, ANY_NAME), kind)
    elif get_origin(annotation) is tuple:
        yield from _of_type(get_args(annotation)[0], (*path, ANY_NAME), kind)
    else:
        for member in get_args(annotation):
            yield from _of_type(member, path, kind)


def _of_metadata(metadata: list[Any], path: KeyPath, kind: str | None) -> Iterator[ReviewedKey]:
    for one in metadata:
        if isinstance(one, Effect | SelectionNeed):
            yield kind, path, one


def effects_at(path: KeyPath, kind: str | None = None) -> tuple[Effect, ...]:
    """Return the effects of the field that a key path leads to, of a workload of that kind; None is any."""
    return tuple(
        mark
        for of, pattern, mark in reviewed_keys()
        if isinstance(mark, Effect) and _fits(pattern, path) and (of is None or kind is None or of == kind)
    )


def selection_needs() -> tuple[KeyPath, ...]:
    """Return the patterns of the keys that the choice of an instance type depends on, in the order of ``SelectionNeed``."""
    patterns: dict[SelectionNeed, list[KeyPath]] = {need: [] for need in SelectionNeed}
    for _, pattern, mark in reviewed_keys():
        if isinstance(mark, SelectionNeed):
            patterns[mark].append(pattern)
    return tuple(dict.fromkeys(pattern for need in SelectionNeed for pattern in patterns[need]))


def _fits(pattern: KeyPath, path: KeyPath) -> bool:
    return len(pattern) == len(path) and all(
        part in (ANY_NAME, key) for part, key in zip(pattern, path, strict=True)
    )
