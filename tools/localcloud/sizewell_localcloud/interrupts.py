"""SIGINT, SIGTERM and SIGHUP as an exception that is never raised between starting a process and recording it."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupted(KeyboardInterrupt):
    """The user, the terminal or the system wants this command to end."""

    def __init__(self, number: int) -> None:
        self.number = number

    @property
    def exit_code(self) -> int:
        """What a shell expects of a command that a signal ended: 130 for Ctrl-C."""
        return 128 + self.number


_holders = 0
_pending: int | None = None


def install() -> None:
    """Turn the signals into ``Interrupted`` from now on; for commands, not for libraries."""
    for number in NUMBERS:
        signal.signal(number, _handle)


@contextmanager
def held() -> Iterator[None]:
    """Hold interrupts back until the block has ended: what it starts, it also remembers."""
    global _holders, _pending
    _holders += 1
    try:
        yield
    finally:
        _holders -= 1
    if _holders == 0 and _pending is not None:
        number, _pending = _pending, None
        raise Interrupted(number)


def _handle(number: int, frame: FrameType | None) -> None:
    global _pending
    if _holders:
        _pending = number
        return
    raise Interrupted(number)
