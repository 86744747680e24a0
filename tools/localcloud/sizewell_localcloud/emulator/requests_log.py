"""The operations that were called, in order: tests read here what a deployment really requested."""

from threading import Lock
from typing import Any

_lock = Lock()
_calls: list[dict[str, Any]] = []


def record(service: str, operation: str, request: dict[str, Any]) -> None:
    """Remember a request that was checked; a fault may have kept it from taking effect."""
    with _lock:
        _calls.append({"service": service, "operation": operation, "request": request})


def calls() -> list[dict[str, Any]]:
    """Return every request since the last clear."""
    with _lock:
        return list(_calls)


def clear() -> None:
    """Forget all requests."""
    with _lock:
        _calls.clear()
