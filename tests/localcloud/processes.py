"""Looks at processes, for tests that must leave none behind."""

import re
import time
from collections.abc import Callable
from typing import TypeVar

from sizewell_localcloud.identity import start_time

#: Against hanging only: on a busy machine, nothing is ever too slow.
PATIENCE_S = 300.0
Found = TypeVar("Found")


def child_of(log: str) -> int:
    """Return the process id of the stand-in's child, which it writes to its log."""
    found = re.search(r"child (\d+)", log)
    assert found is not None, log
    return int(found[1])


def ended(pid: int) -> bool:
    """Return True when a process is gone."""
    return until(lambda: start_time(pid) is None, bool)


def until(look: Callable[[], Found], done: Callable[[Found], bool]) -> Found:
    """Look until what is found is as wanted, and return it."""
    deadline = time.monotonic() + PATIENCE_S
    while not done(found := look()):
        assert time.monotonic() < deadline, f"this never happens: {found}"
        time.sleep(0.01)
    return found
