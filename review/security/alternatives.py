"""What a value may become: of ``Fn::If`` both branches count, and what nobody can work out stands for itself."""

import json
from collections.abc import Iterator, Sequence
from typing import Any


def alternatives(value: Any) -> Iterator[Any]:
    """Yield every value that a value may become; None, which ``AWS::NoValue`` leaves, is none."""
    if isinstance(value, dict) and "Fn::If" in value and len(value) == 1:
        arguments = value["Fn::If"]
        if isinstance(arguments, list) and len(arguments) > 1:
            for branch in arguments[1:]:
                yield from alternatives(branch)
            return
    if value is not None:
        yield value


def may_be_missing(value: Any) -> bool:
    """Tell whether nothing is given, or a branch of ``Fn::If`` leaves nothing: canonical templates drop that branch."""
    if isinstance(value, dict) and isinstance(arguments := value.get("Fn::If"), list):
        return len(arguments) < 3 or any(may_be_missing(branch) for branch in arguments[1:])
    return value is None


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
    return [item if isinstance(item, str) else json.dumps(item, sort_keys=True) for item in items(value)]


def first_text(value: Any, default: str = "") -> str:
    """Return the first member as text."""
    return next(iter(texts(value)), default)
