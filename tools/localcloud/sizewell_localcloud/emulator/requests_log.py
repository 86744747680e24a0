"""Which operations were called, in order: tests ask it what a deployment really asked for."""

from threading import Lock
from typing import Any

_lock = Lock()
_calls: list[dict[str, Any]] = []


def record(service: str, operation: str, request: dict[str, Any]) -> None:
    """Remember one request that was checked; whether it took effect, a fault may have decided."""
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
