"""Functions and events that still go on beside requests: a test waits until it is quiet before it orders faults."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock

_lock = Lock()
_running = 0


@contextmanager
def running() -> Iterator[None]:
    """Count what happens inside as going on."""
    _add(1)
    try:
        yield
    finally:
        _add(-1)


def going_on(work: Callable[[], None]) -> Callable[[], None]:
    """Return work that counts as going on from now until it has ended, although it begins later."""
    _add(1)

    def work_and_end() -> None:
        try:
            work()
        finally:
            _add(-1)

    return work_and_end


def _add(count: int) -> None:
    global _running
    with _lock:
        _running += count


def count() -> int:
    """Return how many things go on."""
    return _running
