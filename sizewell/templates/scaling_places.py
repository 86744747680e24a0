"""Which endpoint a scaling resource is about, also when it stands in another stack than the endpoint."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sizewell.facts.scaling import RELEASE_TYPE, SCALING_TYPE
from sizewell.templates.canonical import canonical_value
from sizewell.templates.template import Stack
from sizewell.templates.values import mapping

TARGET = "AWS::ApplicationAutoScaling::ScalableTarget"
RELEASE = RELEASE_TYPE
HANDED_OVER = SCALING_TYPE
#: The property by which each type names its endpoint.
_NAMING = {TARGET: "ResourceId", RELEASE: "EndpointName", HANDED_OVER: "EndpointName"}

_RESOURCE_ID = re.compile(r"endpoint/(.+)/variant/(.+)")
_REFERENCE = re.compile(r"\$\{(\w+)\}")
#: The parts of an ARN of an endpoint, which is what ``Ref`` gives: ``arn:aws:sagemaker:REGION:ACCOUNT:endpoint/NAME``.
_NAME_AFTER_SLASH = ("/", "1")
_RESOURCE_AFTER_COLONS = (":", "5")


def spelled(value: Any) -> str | None:
    """Return a canonical value as one text, where only functions stand in the way whose result is known."""
    if isinstance(value, str):
        return value
    if not isinstance(value, Mapping) or len(value) != 1:
        return None
    ((name, arguments),) = value.items()
    if name == "Fn::ImportValue":
        exported = spelled(arguments)
        return None if exported is None else imported(exported)
    if not isinstance(arguments, list) or len(arguments) != 2:
        return None
    first, second = arguments
    if name == "Fn::Join" and isinstance(second, list):
        parts = [spelled(part) for part in second]
        return str(first).join(part or "" for part in parts) if None not in parts else None
    if name == "Fn::Sub" and isinstance(first, str) and isinstance(second, Mapping):
        for variable, given in second.items():
            first = first.replace(f"${{{variable}}}", spelled(given) or f"${{{variable}}}")
        return first
    return _selected(str(first), second) if name == "Fn::Select" else None


def _selected(index: str, items: Any) -> str | None:
    split = _split_of(items)
    if split is None or not index.isdecimal():
        return None
    separator, text = split
    if found := _REFERENCE.fullmatch(text):
        name = f"${{{found[1]}.EndpointName}}"
        return {_NAME_AFTER_SLASH: name, _RESOURCE_AFTER_COLONS: f"endpoint/{name}"}.get((separator, index))
    parts = text.split(separator) if separator and "${" not in text else []
    return parts[int(index)] if int(index) < len(parts) else None


def _split_of(value: Any) -> tuple[str, str] | None:
    arguments = value.get("Fn::Split") if isinstance(value, Mapping) else None
    if not isinstance(arguments, list) or len(arguments) != 2:
        return None
    text = spelled(arguments[1])
    return (arguments[0], text) if isinstance(arguments[0], str) and text is not None else None


def endpoint_and_variant(resource_id: Any) -> tuple[str, str] | None:
    """Return what the id of a scalable target means, both canonical; None where it is no variant, or unknown."""
    found = _RESOURCE_ID.fullmatch(spelled(resource_id) or "")
    return (found[1], found[2]) if found else None


def imported(export: str) -> str:
    """Return the text for a value that another stack exports."""
    return f"${{import {export}}}"


def inside_names(logical_id: str, given_name: str | None) -> frozenset[str]:
    """Return the texts that mean an endpoint in its own template."""
    return frozenset({f"${{{logical_id}.EndpointName}}", *([given_name] if given_name else [])})


def outside_names(stack: Stack, logical_id: str, given_name: str | None) -> frozenset[str]:
    """Return the texts that mean an endpoint in other templates: its name, and the exports of it."""
    own = inside_names(logical_id, given_name)
    exports = set()
    for output in mapping(stack.template.get("Outputs")).values():
        name = mapping(mapping(output).get("Export")).get("Name")
        if name is not None and spelled(canonical_value(mapping(output).get("Value"), stack.place)) in own:
            exports.add(spelled(canonical_value(name, stack.place)))
    return frozenset({*(imported(export) for export in exports if export), *own}) - {
        name for name in own if name.startswith("${")
    }


@dataclass(frozen=True)
class ScalingPlaces:
    """The scaling resources of one output, by the text that they name their endpoint with."""

    stacks: tuple[Stack, ...]

    @cached_property
    def _by_name(self) -> Mapping[str, list[tuple[Stack, str]]]:
        found: dict[str, list[tuple[Stack, str]]] = {}
        for stack in self.stacks:
            for name, logical_id in _named(stack):
                found.setdefault(name, []).append((stack, logical_id))
        return found

    def outside(self, stack_name: str, names: Iterable[str]) -> tuple[tuple[Stack, str], ...]:
        """Return stack and logical id of the resources that name an endpoint of a stack from another one."""
        return tuple(
            place
            for name in sorted(names)
            for place in self._by_name.get(name, ())
            if place[0].name != stack_name
        )

    def names_in(self, stack_names: Iterable[str]) -> frozenset[str]:
        """Return all texts that the resources of some stacks name endpoints with."""
        wanted = frozenset(stack_names)
        return frozenset(
            name for name, places in self._by_name.items() if any(stack.name in wanted for stack, _ in places)
        )


def _named(stack: Stack) -> Iterator[tuple[str, str]]:
    """Yield the texts that mean something outside of the template, with the resource."""
    for logical_id, body in mapping(stack.template.get("Resources")).items():
        resource_type = str(mapping(body).get("Type"))
        naming = _NAMING.get(resource_type)
        if naming is None:
            continue
        value = canonical_value(mapping(body.get("Properties")).get(naming), stack.place)
        parts = endpoint_and_variant(value) if resource_type == TARGET else None
        name = parts[0] if parts else spelled(value) if resource_type != TARGET else None
        if name and (not name.startswith("${") or name.startswith("${import ")):
            yield name, logical_id
