"""Intrinsic functions, as far as they can be worked out without a deployment."""

import re
from collections.abc import Mapping
from typing import Any

#: In the text of ``Fn::Sub``: a variable, or an escape.
SUB_VARIABLE = re.compile(r"\$\{([^}]*)\}")
NO_VALUE = {"Ref": "AWS::NoValue"}


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
