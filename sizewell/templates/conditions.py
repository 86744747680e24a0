"""Conditions of a template, as far as they can be worked out without a deployment."""

from collections.abc import Callable, Mapping
from typing import Any

from sizewell.templates.place import Place


def truth_of(name: Any, place: Place, spelled: Callable[[Any], Any]) -> bool | None:
    """Return whether a condition holds; None where only the deployment knows. ``spelled`` gives canonical values."""
    return _named(name, place, spelled, frozenset()) if isinstance(name, str) else None


def _named(name: str, place: Place, spelled: Callable[[Any], Any], above: frozenset[str]) -> bool | None:
    if name in above or name not in place.conditions:
        return None
    return _holds(place.conditions[name], place, spelled, above | {name})


def _holds(value: Any, place: Place, spelled: Callable[[Any], Any], above: frozenset[str]) -> bool | None:
    if not isinstance(value, Mapping) or len(value) != 1:
        return None
    ((function, arguments),) = value.items()
    if function == "Condition" and isinstance(arguments, str):
        return _named(arguments, place, spelled, above)
    if function == "Fn::Equals" and isinstance(arguments, list) and len(arguments) == 2:
        one, other = (spelled(argument) for argument in arguments)
        if all(isinstance(side, str) and "${" not in side for side in (one, other)):
            return bool(one == other)
        return None
    if not isinstance(arguments, list):
        return None
    parts = [_holds(argument, place, spelled, above) for argument in arguments]
    if function == "Fn::Not" and len(parts) == 1:
        return None if parts[0] is None else not parts[0]
    if function == "Fn::And":
        return False if False in parts else None if None in parts else True
    if function == "Fn::Or":
        return True if True in parts else None if None in parts else False
    return None
