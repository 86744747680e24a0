"""Texts that are put together at deployment, with ``${...}`` for the parts that are not known yet.

``Fn::Sub`` is such a text already; ``Fn::Join``, ``Ref`` and ``Fn::GetAtt`` become one. So two ways to write the same
reference give the same text and can be compared.
"""

import re
from collections.abc import Mapping
from typing import Any

from sizewell.templates.literals import is_intrinsic

#: ``${!Name}`` in an Fn::Sub stands for the text ``${Name}``.
_ESCAPED = re.compile(r"\$\{!([^}]*)\}")
_PSEUDO = re.compile(r"\$\{AWS::[A-Za-z]+\}")


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
