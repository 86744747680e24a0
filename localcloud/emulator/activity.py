"""Functions and events that still go on beside requests: a test waits until it is quiet before it orders faults."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_lock = Lock()
_running = 0


@contextmanager
def running() -> Iterator[None]:
    """Count what happens inside as going on."""
    global _running
    with _lock:
        _running += 1
    try:
        yield
    finally:
        with _lock:
            _running -= 1


def count() -> int:
    """Return how many things go on."""
    return _running
