"""Looks at processes, for tests that must leave none behind."""

import re
import time
from collections.abc import Callable

from localcloud.identity import start_time


def child_of(log: str) -> int:
    """Return the process id of the stand-in's child, which it writes to its log."""
    found = re.search(r"child (\d+)", log)
    assert found is not None, log
    return int(found[1])


def ended(pid: int) -> bool:
    """Return whether a process is gone, or will be gone in a moment."""
    return eventually(lambda: start_time(pid) is None)


def eventually(condition: Callable[[], bool], seconds: float = 10) -> bool:
    """Return whether something becomes true in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
