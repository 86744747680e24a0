"""Plain YAML scalars, read by the core schema of YAML 1.2: ``yes``, ``on`` and ``12:30`` are texts.

Source: https://yaml.org/spec/1.2.2/#103-core-schema
"""

import math
import re

from sizewell.config.tree import Scalar

_WORDS: dict[str, Scalar] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(
    r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"
)

#: JSON and 64-bit machines agree on whole numbers of this length.
_MAX_INTEGER_CHARACTERS = 19


def core_scalar(text: str) -> Scalar:
    """Return the value of an unquoted scalar.

    Raises:
        ValueError: It is a number that cannot be kept exactly: infinite, not a number, or too long.
    """
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in "+-.0123456789":
        return text
    if _INTEGER.fullmatch(text):
        if len(text) > _MAX_INTEGER_CHARACTERS:
            raise ValueError("the number has too many digits")
        return int(text, 0 if text[:2] in ("0o", "0x") else 10)
    if _FLOAT.fullmatch(text):
        number = float(text.lower().replace(".inf", "inf").replace(".nan", "nan"))
        if not math.isfinite(number):
            raise ValueError("numbers are finite")
        return number
    return text
