"""What the fields of the configuration say to a reviewer, by key path."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Annotated, Any, get_args, get_origin

from pydantic import BaseModel

from sizewell.config.effects import Effect, SelectionNeed
from sizewell.config.environment import Environment
from sizewell.config.tree import KeyPath

#: Stands in a pattern for a name that the user chooses.
ANY_NAME = "*"


@lru_cache(maxsize=1)
def reviewed_keys() -> tuple[tuple[KeyPath, Effect | SelectionNeed], ...]:
    """Return the patterns of key paths with their effects and needs, in the order of the fields."""
    return tuple(dict.fromkeys(_of_type(Environment, ())))


def _of_type(annotation: Any, path: KeyPath) -> Iterator[tuple[KeyPath, Effect | SelectionNeed]]:
    if get_origin(annotation) is Annotated:
        annotation, *metadata = get_args(annotation)
        yield from _of_metadata(metadata, path)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        for key, field in annotation.model_fields.items():
            yield from _of_metadata(field.metadata, (*path, key))
            yield from _of_type(field.annotation, (*path, key))
    elif get_origin(annotation) is dict:
        yield from _of_type(get_args(annotation)[1], (*path, ANY_NAME))
    else:
        for member in get_args(annotation):
            yield from _of_type(member, path)


def _of_metadata(metadata: list[Any], path: KeyPath) -> Iterator[tuple[KeyPath, Effect | SelectionNeed]]:
    for one in metadata:
        if isinstance(one, Effect | SelectionNeed):
            yield path, one


def effects_at(path: KeyPath) -> tuple[Effect, ...]:
    """Return the effects of the field that a key path leads to."""
    return tuple(
        mark for pattern, mark in reviewed_keys() if isinstance(mark, Effect) and _fits(pattern, path)
    )


def selection_needs() -> tuple[KeyPath, ...]:
    """Return the patterns of the keys that the choice of an instance type depends on, by rank."""
    needs = ((mark.rank, pattern) for pattern, mark in reviewed_keys() if isinstance(mark, SelectionNeed))
    return tuple(pattern for _, pattern in sorted(needs))


def _fits(pattern: KeyPath, path: KeyPath) -> bool:
    return len(pattern) == len(path) and all(
        part in (ANY_NAME, key) for part, key in zip(pattern, path, strict=True)
    )
