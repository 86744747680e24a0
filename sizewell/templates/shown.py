"""Canonical values in one line, as a reader wants them."""

import json
from typing import Any

from sizewell.templates.canonical import hide_assets
from sizewell.templates.values import show

#: Longer values are cut where they are shown in a table; the folded lines show more.
SHORT = 100
LONG = 1000
_LINE = 160


def shown(value: Any, limit: int = SHORT) -> str:
    """Return a value in one line, visibly cut after ``limit`` characters; nothing for a value that is not there."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = hide_assets(text).replace("${!", "${")
    return text if len(text) <= limit else f"{text[:limit]} ... ({len(text) - limit:,} more characters)"


def shown_pair(base: Any, head: Any, limit: int = SHORT) -> tuple[str, str]:
    """Return both sides; an asset that only has other content says so."""
    ours, theirs = shown(base, limit), shown(head, limit)
    if ours == theirs and base is not None:
        theirs = f"{theirs} (other content)"
    return ours, theirs


def one_line(value: object) -> str:
    """Return a value for a sentence, shortened where it is long; ``none`` where it is not there."""
    if value is None or value == "":
        return "none"
    text = hide_assets(show(value))
    return text if len(text) <= _LINE else f"{text[:_LINE]}…"
