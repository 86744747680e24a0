"""Values as YAML would write them in one line."""

import json
import re
from collections.abc import Mapping
from typing import Any

from sizewell.review.config_differences import MISSING, KeyPath

#: Characters that are shown of a value.
VALUE_LIMIT = 80
#: Plain in YAML, also within brackets and braces.
_PLAIN = re.compile(
    r"(?!- )[\w./+-](?:[\w./+@%=*^~-]|:(?=[\w/]))*(?: (?:[\w./+@%=*^~-]|:(?=[\w/]))+)*", re.ASCII
)
#: What a reader of YAML 1.1 or 1.2 takes for something else than text: numbers, dates, times, flags, null.
_NOT_TEXT = re.compile(
    r"[-+.]?\d[\d_.:+-]*(?:e[-+]?\d+)?|\d{4}-\d\d?-\d\d?[t ].*|[-+]?0[xob][\da-f_]+|[-+]?\.(?:inf|nan)"
    r"|null|true|false|yes|no|on|off|y|n|-+|\.+",
    re.IGNORECASE | re.ASCII,
)
_KEY = re.compile(r"[\w-]+", re.ASCII)


def one_line(value: Any) -> str:
    """Return a value in one line, whole; empty where it is not there."""
    if value is MISSING:
        return ""
    if isinstance(value, Mapping):
        items = sorted(value.items())
        return "{" + ", ".join(f"{_text(str(k))}: {one_line(v)}" for k, v in items if v is not MISSING) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(one_line(item) for item in value) + "]"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return _text(value) if isinstance(value, str) else str(value)


def key_path(path: KeyPath) -> str:
    """Return a key path with dots; a key that is no plain word stands in quotes."""
    return ".".join(key if _KEY.fullmatch(key) else json.dumps(key, ensure_ascii=False) for key in path)


def _text(text: str) -> str:
    if _PLAIN.fullmatch(text) and not _NOT_TEXT.fullmatch(text):
        return text
    return json.dumps(text, ensure_ascii=not text.isprintable())
