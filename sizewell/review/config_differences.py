"""Where two configurations differ: by meaning, so that the order of keys and null for a default are no difference."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sizewell.config.effects import Computed, OnItems
from sizewell.review.saved.configuration import Environment

KeyPath = tuple[str, ...]


class _Missing:
    """The value of a key that is not there; null is the same."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = _Missing()


@dataclass(frozen=True)
class Difference:
    """One key whose value is another one."""

    path: KeyPath
    base: Any
    """``MISSING`` where the key is not there."""
    head: Any


@dataclass(frozen=True)
class KeyChange:
    """A difference, and the configurations that it stands in."""

    difference: Difference
    base_environment: Environment
    head_environment: Environment

    @property
    def path(self) -> KeyPath:
        """The key path."""
        return self.difference.path

    @property
    def base(self) -> Any:
        """The value of base."""
        return self.difference.base

    @property
    def head(self) -> Any:
        """The value of head."""
        return self.difference.head

    @property
    def workload(self) -> str:
        """The name of the workload that the key belongs to."""
        return self.path[1]


def differences(base: Any, head: Any, path: KeyPath = ()) -> Iterator[Difference]:
    """Yield the differences by key path; a map or list that one side does not have is one difference.

    Lists of scalars differ as a whole, lists of maps by the names of their items, else by position.
    """
    base, head = _plain(base), _plain(head)
    if isinstance(base, dict) and isinstance(head, dict):
        for key in sorted({*base, *head}):
            yield from differences(base.get(key, MISSING), head.get(key, MISSING), (*path, str(key)))
    elif _is_nothing(base) and _is_nothing(head):
        return
    elif _holds_maps(base) and _holds_maps(head):
        yield from differences(*_by_name_or_position(base, head), path)
    elif not _same(base, head) and not _same(*(_sorted(side, path) for side in (base, head))):
        yield Difference(path, base, head)


def _is_nothing(value: Any) -> bool:
    """Return whether a value is left out, or a map without a value; a list without items can mean something."""
    return value is MISSING or (
        isinstance(value, dict) and all(_is_nothing(_plain(item)) for item in value.values())
    )


def _plain(value: Any) -> Any:
    return MISSING if value is None else value


def _sorted(value: Any, path: KeyPath) -> Any:
    return sorted(value, key=_sorting_key) if isinstance(value, list) and _is_unordered(path) else value


def _is_unordered(path: KeyPath) -> bool:
    # Not at the top: the models of the configuration take a tenth of a second, and mostly no list differs.
    from sizewell.config.reviewed_keys import effects_at

    return any(isinstance(effect, OnItems) or effect is Computed.SUBNETS for effect in effects_at(path))


def _sorting_key(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _holds_maps(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


def _by_name_or_position(
    base: Sequence[Mapping[str, Any]], head: Sequence[Mapping[str, Any]]
) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    named = [_by_name(base), _by_name(head)]
    if named[0] is not None and named[1] is not None:
        return named[0], named[1]
    # Of equal width, so that they are sorted by number.
    width = len(str(max(len(base), len(head))))
    return tuple({f"{i:0{width}}": item for i, item in enumerate(side)} for side in (base, head))  # type: ignore[return-value]


def _by_name(items: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    names = [item.get("name") for item in items]
    if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        return None
    return {str(item["name"]): item for item in items}


def _same(base: Any, head: Any) -> bool:
    """Return whether two values are equal; true is not 1, and NaN equals NaN."""
    if isinstance(base, list) and isinstance(head, list):
        return len(base) == len(head) and all(map(_same, base, head))
    if isinstance(base, dict) and isinstance(head, dict):
        return base.keys() == head.keys() and all(_same(base[key], head[key]) for key in base)
    if isinstance(base, bool) is not isinstance(head, bool):
        return False
    return bool(base == head) or (base != base and head != head)
