"""Values against botocore's shapes: what a service would refuse, and how it says so.

botocore's own validator runs in the client and looks at presence, type and lower bounds only. A service also checks
enumerations, patterns, upper bounds and unknown members; the wording follows the services' own:
"1 validation error detected: Value '...' at '...' failed to satisfy constraint: ...".
"""

import re
from collections.abc import Iterator
from typing import Any

_NUMBERS = {"integer", "long", "float", "double"}
_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "character": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "long": (int,),
    "float": (int, float),
    "double": (int, float),
    "timestamp": (int, float, str),
    "structure": (dict,),
    "map": (dict,),
    "list": (list,),
    "blob": (str,),
}


def faults_of(value: Any, shape: Any, path: str = "") -> Iterator[str]:
    """Yield what is wrong with a JSON value that should have this shape, one sentence for each fault."""
    kind = shape.type_name
    if not _is_of(kind, value):
        yield f"Value at '{path}' failed to satisfy constraint: Member must be of type {kind}"
    elif kind == "structure":
        yield from _structure_faults(value, shape, path)
    elif kind == "list":
        yield from _length_faults(value, len(value), shape, path)
        for number, item in enumerate(value, start=1):
            yield from faults_of(item, shape.member, f"{path}.{number}.member")
    elif kind == "map":
        yield from _length_faults(value, len(value), shape, path)
        for key, item in value.items():
            yield from faults_of(key, shape.key, f"{path}.key")
            yield from faults_of(item, shape.value, f"{path}.{key}.member")
    elif kind == "string":
        yield from _string_faults(value, shape, path)
    elif kind in _NUMBERS:
        yield from _range_faults(value, shape, path)


def _is_of(kind: str, value: Any) -> bool:
    # To Python, a truth value is an integer.
    return isinstance(value, _TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))


def _structure_faults(value: dict[str, Any], shape: Any, path: str) -> Iterator[str]:
    for name in shape.required_members:
        if value.get(name) is None:
            yield f"Value null at '{_join(path, name)}' failed to satisfy constraint: Member must not be null"
    for name, member in value.items():
        if name not in shape.members:
            yield f"Unknown member '{_join(path, name)}': the API has none of this name"
        elif member is not None:
            yield from faults_of(member, shape.members[name], _join(path, name))


def _string_faults(value: str, shape: Any, path: str) -> Iterator[str]:
    if shape.enum and value not in shape.enum:
        yield (
            f"Value '{value}' at '{path}' failed to satisfy constraint: "
            f"Member must satisfy enum value set: [{', '.join(shape.enum)}]"
        )
        return
    yield from _length_faults(value, len(value), shape, path)
    pattern = shape.metadata.get("pattern")
    if pattern and not _matches(pattern, value):
        yield (
            f"Value '{value}' at '{path}' failed to satisfy constraint: "
            f"Member must satisfy regular expression pattern: {pattern}"
        )


def _matches(pattern: str, value: str) -> bool:
    try:
        return re.fullmatch(pattern, value) is not None
    except re.error:  # a pattern in Java's dialect that Python cannot read
        return True


def _length_faults(value: Any, length: int, shape: Any, path: str) -> Iterator[str]:
    low, high = shape.metadata.get("min"), shape.metadata.get("max")
    if low is not None and length < low:
        yield f"Value '{value}' at '{path}' failed to satisfy constraint: Member must have length greater than or equal to {low}"
    if high is not None and length > high:
        yield f"Value '{value}' at '{path}' failed to satisfy constraint: Member must have length less than or equal to {high}"


def _range_faults(value: float, shape: Any, path: str) -> Iterator[str]:
    low, high = shape.metadata.get("min"), shape.metadata.get("max")
    if low is not None and value < low:
        yield f"Value '{value}' at '{path}' failed to satisfy constraint: Member must have value greater than or equal to {low}"
    if high is not None and value > high:
        yield f"Value '{value}' at '{path}' failed to satisfy constraint: Member must have value less than or equal to {high}"


def _join(path: str, name: str) -> str:
    camel = name[:1].lower() + name[1:]
    return f"{path}.{camel}" if path else camel


def spelled(value: Any, shape: Any) -> Any:
    """Return a value of CloudFormation with the API's names of members, which differ in case. The keys of maps stay."""
    kind = getattr(shape, "type_name", None)
    if kind == "structure" and isinstance(value, dict):
        names = {name.lower(): name for name in shape.members}
        named = {names.get(key.lower(), key[:1].lower() + key[1:]): item for key, item in value.items()}
        return {key: spelled(item, shape.members.get(key)) for key, item in named.items()}
    if kind == "list" and isinstance(value, list):
        return [spelled(item, shape.member) for item in value]
    return value


def fitted(value: Any, shape: Any) -> Any:
    """Return the value with only the members that the shape has, so that no internal field leaks into an answer."""
    kind = shape.type_name
    if kind == "structure" and isinstance(value, dict):
        return {
            k: fitted(v, shape.members[k]) for k, v in value.items() if k in shape.members and v is not None
        }
    if kind == "list" and isinstance(value, (list, tuple)):
        return [fitted(item, shape.member) for item in value]
    if kind == "map" and isinstance(value, dict):
        return {k: fitted(v, shape.value) for k, v in value.items()}
    return value
