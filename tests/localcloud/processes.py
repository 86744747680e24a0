"""Looks at processes, for tests that must leave none behind."""

import re
import time
from collections.abc import Callable

from localcloud.identity import start_time

#: Against hanging only: on a busy machine, nothing is ever too slow.
PATIENCE_S = 300.0


def child_of(log: str) -> int:
    """Return the process id of the stand-in's child, which it writes to its log."""
    found = re.search(r"child (\d+)", log)
    assert found is not None, log
    return int(found[1])


def ended(pid: int) -> bool:
    """Return whether a process is gone, or will be gone in a moment."""
    return eventually(lambda: start_time(pid) is None)


def eventually(condition: Callable[[], bool]) -> bool:
    """Return whether something becomes true."""
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
