"""What a value may become: of ``Fn::If`` both branches count, and what nobody can work out stands for itself."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from sizewell.templates.values import NO_VALUE


def branches(value: Any) -> tuple[Any, Any, Any] | None:
    """Return the condition and both branches of an ``Fn::If``; a branch that leaves nothing is None.

    It is written as ``AWS::NoValue``, as None, or not at all.
    """
    if not isinstance(value, dict) or len(value) != 1:
        return None
    arguments = value.get("Fn::If")
    if not isinstance(arguments, list) or not 2 <= len(arguments) <= 3:
        return None
    condition, *given = (None if argument == NO_VALUE else argument for argument in arguments)
    return condition, given[0], given[1] if len(given) > 1 else None


def alternatives(value: Any) -> Iterator[Any]:
    """Yield every value that a value may become; nothing at all is none."""
    if choice := branches(value):
        for branch in choice[1:]:
            yield from alternatives(branch)
    elif value is not None and value != NO_VALUE:
        yield value


def may_be_missing(value: Any) -> bool:
    """Tell whether nothing is given, or a branch of ``Fn::If`` leaves nothing."""
    if choice := branches(value):
        return any(may_be_missing(branch) for branch in choice[1:])
    return value is None or value == NO_VALUE


def items(value: Any) -> Iterator[Any]:
    """Yield the members of a list, or the only one that is written without a list."""
    for one in alternatives(value):
        if isinstance(one, list):
            for item in one:
                yield from items(item)
        else:
            yield one


def texts(value: Any) -> Sequence[str]:
    """Return the members as texts."""
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return value
    return [dumped(item) for item in items(value)]


def dumped(value: Any) -> str:
    """Return a text, or what is none as JSON."""
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)


def first_text(value: Any, default: str = "") -> str:
    """Return the first member as text."""
    return next(iter(texts(value)), default)
