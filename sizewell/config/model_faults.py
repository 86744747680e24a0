"""From the errors of pydantic to faults: the line, the key, what came in, what is allowed, what was meant."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from sizewell.config.faults import Fault, near_match, show_value, value_fault
from sizewell.config.kind import ConfigKind
from sizewell.config.schema_places import KeyPlace, Place, key_places, place_of, resolve
from sizewell.config.schema_words import allowed_values, expected_words
from sizewell.config.tree import Node
from sizewell.kinds.registry import UnknownKindError, facet, kind_names

#: Units that keys end in, with what people write behind a number instead.
_UNITS = {
    "_ms": ("milliseconds", ("ms",)),
    "_s": ("seconds", ("s", "sec", "seconds")),
    "_minutes": ("minutes", ("m", "min", "minutes")),
    "_hours": ("hours", ("h", "hours")),
    "_days": ("days", ("d", "days")),
    "_gib": ("GiB", ("gib", "gb", "g")),
    "_mb": ("MB", ("mb", "m", "mib")),
    "_millions": ("million", ("m", "million", "millions")),
    "_usd_per_month": ("US dollars", ("usd", "$")),
    "_usd_per_run": ("US dollars", ("usd", "$")),
    "_percent": ("percent", ("%", "percent")),
}
#: Faults that are looked into; fifty are shown.
MAX_FAULTS = 5_000
_NUMBER_WITH_UNIT = re.compile(r"\$?([-+]?[0-9]+(?:\.[0-9]+)?)\s*([A-Za-z$%]*)")


def model_faults(error: ValidationError, root: Node, overlay_file: str) -> Iterator[Fault]:
    """Yield the faults behind the errors of pydantic; a union of scalars gives the same one several times.

    ``overlay_file`` is the environment file, which can remove what the base says.
    """
    for details in error.errors(include_url=False)[:MAX_FAULTS]:
        location, context = details["loc"], details.get("ctx", {})
        if details["type"] == "too_short" and len(details["input"]) >= context["min_length"]:
            continue  # only the valid items of a list were counted; the others have faults of their own
        if details["type"] == "extra_forbidden":
            yield _unknown_key(location, root, overlay_file)
        elif details["type"] == "missing":
            yield _missing(place_of(location), root)
        elif details["type"] in ("union_tag_invalid", "union_tag_not_found"):
            yield _variant(place_of(location), context, root)
        elif details["type"] == "rule":
            yield _rule(place_of(location), context, root)
        elif location and location[-1] == "[key]":
            yield _bad_key(location, root)
        else:
            yield _bad_value(place_of(location), details, root)


def _unknown_key(location: tuple[int | str, ...], root: Node, overlay_file: str) -> Fault:
    parent, key = place_of(location[:-1]), str(location[-1])
    path = (*parent.path, key)
    position = root.nearest(path).position
    places = key_places().get(key, ())
    if words := _misplaced(parent.variant or "").get(".".join(path[2:])):
        return value_fault(position, path, words)
    if any(place.path == _pattern(path) for place in places):
        variant = parent.variant or "the other keys here"
        hint = f"it does not go with {variant}; remove it"
        if position.file != overlay_file:
            hint += f", or write {key}: null in {overlay_file} to drop it there"
        return value_fault(position, path, "the key is out of place", hint=hint)
    elsewhere = _elsewhere(path, places, root)
    meant = _keys_with_words(key, parent.keys)
    if not meant and not elsewhere and (match := near_match(key, parent.keys)):
        meant = (match,)
    if meant:
        return value_fault(position, path, "unknown key", hint=f"did you mean {' or '.join(meant)}?")
    hint = f"this key belongs elsewhere: {', '.join(elsewhere[:3])}" if elsewhere else "remove it"
    allowed = tuple(other for other in parent.keys if parent.path or other != "name")
    return value_fault(position, path, "unknown key; allowed here", allowed=allowed, hint=hint)


def _misplaced(variant: str) -> Mapping[str, str]:
    """Return what to say of keys by their path in the workload; ``variant`` is what a place calls its kind."""
    try:
        return facet(variant.removeprefix("kind "), ConfigKind).model.misplaced_keys
    except UnknownKindError:
        return {}


def _keys_with_words(key: str, allowed: Sequence[str]) -> tuple[str, ...]:
    """Return the allowed keys, two at most, that have every word of a key: max_p95_ms of p95; none where there are more."""
    words = set(key.split("_"))
    found = tuple(other for other in allowed if words <= set(other.split("_")))
    return found if len(found) <= 2 else ()


def _elsewhere(path: tuple[str, ...], places: Sequence[KeyPlace], root: Node) -> tuple[str, ...]:
    """Return the places of the same workload, or outside of it, where what was written could stand."""
    value = root.nearest(path).plain()
    kind = root.nearest(path[:2]).child("kind") if path[0] == "workloads" else None
    kinds = {place.kind for place in places} if kind is None else {None, kind.value}
    return tuple(dict.fromkeys(place.path for place in places if place.kind in kinds and place.takes(value)))


def _pattern(path: tuple[str, ...]) -> str:
    """Return a path in the notation of ``key_places``."""
    name = ("<name>",) if path[0] == "workloads" and len(path) > 1 else ()
    return ".".join((*path[:1], *name, *path[1 + len(name) :]))


def _missing(place: Place, root: Node) -> Fault:
    allowed = allowed_values(place.schema)
    words = "is missing; expected" + (
        "" if allowed else f" {expected_words(place.schema)}{_unit_words(place)}"
    )
    position = root.nearest(place.path).position
    return value_fault(position, place.path, words, allowed=allowed, hint=place.schema.get("description"))


def _variant(place: Place, context: Mapping[str, Any], root: Node) -> Fault:
    """Return the fault of the key that says which kind of thing a map describes."""
    path = (*place.path, context["discriminator"].strip("'"))
    allowed = tuple(place.schema["discriminator"]["mapping"])
    node, is_workload = root.nearest(path), place.path[:-1] == ("workloads",)
    if "tag" not in context:
        hint = _workload_meant(place.path[-1], root) if is_workload else place.schema.get("description")
        return value_fault(node.position, path, "is missing; expected one of", allowed=allowed, hint=hint)
    kind = _kind_meant(node.plain()) if is_workload else None
    hint = f"write kind: {kind}" if kind else None
    return _expected_one_of(Place(path, place.schema), node, allowed, hint=hint)


def _kind_meant(written: object) -> str | None:
    """Return the kind that begins with the same word: asynchronous-endpoint of AsyncInference; None where none does."""
    word = re.match(r"[A-Za-z][a-z]{4,}", written) if isinstance(written, str) else None
    kinds = sorted(kind_names(), key=lambda kind: facet(kind, ConfigKind).rank)
    return next((kind for kind in kinds if word and kind.replace("-", "").startswith(word[0].lower())), None)


def _workload_meant(name: str, root: Node) -> str | None:
    """Return which workload of the base an environment file probably means by a name that has no kind."""
    workloads = root.nearest(("workloads",)).value
    assert isinstance(workloads, dict)
    match = near_match(name, [other for other, workload in workloads.items() if workload.child("kind")])
    return f"did you mean {match}?" if match else None


def _rule(place: Place, context: Mapping[str, Any], root: Node) -> Fault:
    path = (*place.path, *filter(None, context["key"].split(".")))
    return value_fault(root.nearest(path).position, path, context["reason"])


def _bad_key(location: tuple[int | str, ...], root: Node) -> Fault:
    place = place_of(location)
    parent = place_of(location[:-2]).schema
    (pattern,) = parent["patternProperties"]
    names = {"type": "string", **parent["propertyNames"]}
    message = f"the name is not allowed; expected {expected_words(names)}: {names['description']}"
    meant = re.sub(r"[^a-z0-9]+", "-", place.path[-1].lower()).strip("-")
    # What is too short or too long is not meant otherwise.
    hint = f"did you mean {meant}?" if re.fullmatch(pattern, meant) and meant != place.path[-1] else None
    return value_fault(root.nearest(place.path).position, place.path, message, hint=hint)


def _bad_value(place: Place, details: ErrorDetails, root: Node) -> Fault:
    node = root.nearest(place.path)
    if details["type"] == "value_error":
        return value_fault(node.position, place.path, str(details.get("ctx", {})["error"]))
    if allowed := allowed_values(place.schema):
        return _expected_one_of(place, node, allowed)
    value, schema = details["input"], place.schema
    hint = type_hint(place.path[-1] if place.path else "", value, schema) or schema.get("description")
    message = f"expected {expected_words(schema)}{_unit_words(place)}"
    return value_fault(node.position, place.path, message, value=show_value(value), hint=hint)


def _unit_words(place: Place) -> str:
    key = place.path[-1] if place.path else ""
    number = resolve(place.schema).get("type") in ("integer", "number")
    unit = next((words for ending, (words, _) in _UNITS.items() if key.endswith(ending)), None)
    return f" {unit}" if number and unit else ""


def _expected_one_of(place: Place, node: Node, allowed: tuple[str, ...], *, hint: str | None = None) -> Fault:
    value = node.plain()
    matches: tuple[str, ...] = ()
    if isinstance(value, str):
        # Of huggingface, which of its containers was meant cannot be told.
        matches = tuple(one for one in allowed if value and one.startswith(f"{value}-"))
        matches = matches or tuple(filter(None, [near_match(value, allowed)]))
    return value_fault(
        node.position,
        place.path,
        "expected one of" if len(allowed) > 1 else "expected",
        value=show_value(value),
        allowed=allowed,
        hint=hint or (f"did you mean {' or '.join(matches)}?" if matches else None),
    )


def type_hint(key: str, value: object, schema: dict[str, Any]) -> str | None:
    """Return what to change in a value of the wrong type: its quotes, or a unit that the key's name has already."""
    kind = cast("str | None", resolve(schema).get("type"))
    if kind == "string" and isinstance(value, bool | int | float):
        return "write it in quotes, to keep it a text"
    if kind == "boolean" and isinstance(value, str):
        return "write true or false, without quotes"
    if kind not in ("integer", "number") or not isinstance(value, str):
        return None
    if not (number := _NUMBER_WITH_UNIT.fullmatch(value)):
        return None
    for ending, (unit, spellings) in _UNITS.items():
        if key.endswith(ending) and number[2]:
            right = number[2].lower() in spellings
            return f"the unit ({unit}) is in the key's name: write " + (
                f"{key}: {number[1]}" if right else "the number alone"
            )
    return None if number[2] else f"write it without quotes: {key}: {number[1]}"
