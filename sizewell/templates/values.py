"""Values of a template: literals, and intrinsic functions as far as they can be worked out without a deployment.

What CloudFormation works out at deployment (``Ref``, ``Fn::GetAtt``, ``Fn::If`` and their like) is unknown to the readers of
literals, and unknown is never a fault: each of them answers None for it. A text that is put together at deployment is
written as in ``Fn::Sub``, with ``${Id}`` or ``${Id.Attribute}`` for the parts that are not known yet: so two ways to write
the same reference give the same text and can be compared.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

#: In the text of ``Fn::Sub``: a variable, or an escape.
SUB_VARIABLE = re.compile(r"\$\{([^}]*)\}")
NO_VALUE = {"Ref": "AWS::NoValue"}
#: ``${!Name}`` in an Fn::Sub stands for the text ``${Name}``.
_ESCAPED = re.compile(r"\$\{!([^}]*)\}")
_PSEUDO = re.compile(r"\$\{AWS::[A-Za-z]+\}")
_NUMBER = re.compile(r"[-+]?[0-9]+(\.[0-9]+)?")
_TRUTH = {"true": True, "false": False}


def is_intrinsic(value: Any) -> bool:
    """Tell whether a map is a function of CloudFormation."""
    if not isinstance(value, dict) or len(value) != 1:
        return False
    (key,) = value
    return isinstance(key, str) and (key.startswith("Fn::") or key in ("Ref", "Condition"))


def escaped(text: str) -> str:
    """Return a text that means itself in the spelling of ``Fn::Sub``."""
    return text.replace("${", "${!") if "${" in text else text


def get_att_text(arguments: Any) -> str:
    """Return ``${Id.Attribute}`` of either spelling of the arguments."""
    parts = arguments if isinstance(arguments, list) else [arguments]
    return "${" + ".".join(str(part) for part in parts) + "}"


def substituted(text: str, variables: Mapping[str, str], pseudo: Mapping[str, str]) -> str:
    """Return the text of an ``Fn::Sub`` with its own variables and the known pseudo parameters put in."""

    def replacement(found: re.Match[str]) -> str:
        name = found[1].strip()
        if name.startswith("!"):
            return found[0]
        if name in variables:
            return variables[name]
        return pseudo.get(name, "${" + name + "}")

    return SUB_VARIABLE.sub(replacement, text)


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


def with_placeholders(value: Any) -> str | None:
    """Return a text, or None for what is none or cannot be put together here."""
    if isinstance(value, str):
        return value
    if not is_intrinsic(value):
        return None
    ((name, argument),) = value.items()
    if name == "Ref":
        return f"${{{argument}}}" if isinstance(argument, str) else None
    if name == "Fn::GetAtt":
        return _get_att(argument)
    if name == "Fn::Sub":
        return _sub(argument)
    return _join(argument) if name == "Fn::Join" else None


def is_open(text: str) -> bool:
    """Tell whether a part of the text is known only at deployment."""
    return "${" in text


def is_the_same_for_every_deployment(value: Any) -> bool:
    """Tell whether a text changes with account, region or stack at most."""
    text = with_placeholders(value)
    return text is not None and not is_open(_PSEUDO.sub("", text))


def referenced_id(value: Any, attribute: str) -> str | None:
    """Return the logical id behind ``Fn::GetAtt`` of that attribute."""
    text = with_placeholders(value) if is_intrinsic(value) else None
    match = re.fullmatch(rf"\$\{{(\w+)\.{attribute}\}}", text) if text else None
    return match[1] if match else None


def _get_att(argument: Any) -> str | None:
    parts = argument.split(".", 1) if isinstance(argument, str) else argument
    if isinstance(parts, list) and all(isinstance(part, str) for part in parts):
        return f"${{{'.'.join(parts)}}}"
    return None


def _sub(argument: Any) -> str | None:
    text, values = argument, {}
    if isinstance(argument, list) and len(argument) == 2:
        text, values = argument
    if not isinstance(text, str) or not isinstance(values, Mapping):
        return None
    for name, value in values.items():
        if (known := with_placeholders(value)) is not None:
            text = text.replace(f"${{{name}}}", known)
    return _ESCAPED.sub(r"${\1}", text)


def _join(argument: Any) -> str | None:
    if not (isinstance(argument, list) and len(argument) == 2):
        return None
    separator, items = argument
    if not isinstance(separator, str) or not isinstance(items, list):
        return None
    parts = [with_placeholders(item) for item in items]
    return None if None in parts else separator.join(part for part in parts if part is not None)


def is_given(properties: Mapping[str, Any], key: str) -> bool:
    """Tell whether a property is there for certain: ``Fn::If`` may take it away."""
    value = properties.get(key)
    return value is not None and not (is_intrinsic(value) and "Fn::If" in value)


def number(value: Any) -> float | None:
    """Return a number; CloudFormation takes the text "4" for one as well."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return float(value)
    return None


def flag(value: Any) -> bool | None:
    """Return a truth value; CloudFormation takes the text "true" for one as well."""
    if isinstance(value, bool):
        return value
    return _TRUTH.get(value) if isinstance(value, str) else None


def text(value: Any) -> str | None:
    """Return a text."""
    return value if isinstance(value, str) else None


def mapping(value: Any) -> Mapping[str, Any]:
    """Return a map, empty where it is unknown or something else."""
    return value if isinstance(value, Mapping) and not is_intrinsic(value) else {}


def maps(value: Any) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the maps of a list with their places; what is unknown is left out."""
    if isinstance(value, list):
        for index, item in enumerate(value):
            if isinstance(item, Mapping) and not is_intrinsic(item):
                yield index, item


def count(value: Any) -> int | None:
    """Return how many members a list has, or None where not all of them are written out."""
    if isinstance(value, list) and not any(is_intrinsic(item) for item in value):
        return len(value)
    return None


def show(value: Any) -> str:
    """Return a value as it may stand in a message."""
    if isinstance(value, float) and value.is_integer():
        return f"{value:.0f}"
    return value if isinstance(value, str) else json.dumps(value)


def without_no_value(value: Any) -> Any:
    """Return a copy without what ``AWS::NoValue`` removes: a property that is taken away is not there."""
    if isinstance(value, Mapping):
        return {key: without_no_value(item) for key, item in value.items() if item != NO_VALUE}
    if isinstance(value, list):
        return [without_no_value(item) for item in value if item != NO_VALUE]
    return value
