"""Outcomes on order: what the next endpoint operation or job of a name shall come to.

A script belongs to names that begin with its prefix, is used up by one operation, and the next in order is used by the
next operation. Without a script everything succeeds.
"""

from dataclasses import dataclass
from threading import Lock
from typing import Any, Literal

EndpointOutcome = Literal["fail"]
JobOutcome = Literal["completed", "failed", "capacity", "interrupted", "stopped", "max_wait", "hang", "quota"]


@dataclass(frozen=True)
class Script:
    """``kind`` is ``endpoint`` or a kind of job; ``reason`` becomes the failure reason."""

    kind: str
    name_prefix: str
    outcome: str
    reason: str = ""


_lock = Lock()
_scripts: list[Script] = []


def order(**fields: Any) -> None:
    """Order an outcome; fields as in ``Script``."""
    with _lock:
        _scripts.append(Script(**fields))


def take(kind: str, name: str) -> Script | None:
    """Use up and return the first script for this name, or None."""
    with _lock:
        for script in _scripts:
            if script.kind == kind and name.startswith(script.name_prefix):
                _scripts.remove(script)
                return script
    return None


def clear() -> None:
    """Forget all scripts."""
    with _lock:
        _scripts.clear()
