"""Progress on stderr, with the time each phase took: live on a terminal, plain lines in a pipe."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

ERASE_LINE = "\r\x1b[2K"


class Progress:
    """The phases of one command."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._live = self._stream.isatty() and os.environ.get("TERM") != "dumb"
        self._colour = self._live and not os.environ.get("NO_COLOR")
        self._began = time.monotonic()
        self._current = ""

    @contextmanager
    def phase(self, text: str) -> Iterator[None]:
        """Say what begins, and when it has ended well, how long it took."""
        began = time.monotonic()
        self._current = text
        if self._live:
            self.detail("")
        else:
            self._write(f"{text} ...\n")
        try:
            yield
        except BaseException:
            self.clear()
            raise
        self.done(text, time.monotonic() - began)
        self._current = ""

    def detail(self, text: str) -> None:
        """Show how far the phase is, on a terminal only."""
        if self._live:
            self._write(
                f"{ERASE_LINE}{self._paint('·', '33')} {self._current}{' ' + text if text else ''} ..."
            )

    def done(self, text: str, seconds: float) -> None:
        """Say that something has ended well."""
        self.clear()
        self._write(f"{self._paint('✓', '32')} {text:<58} {seconds:5.1f} s\n")

    def say(self, text: str) -> None:
        """Say something in a line of its own."""
        self.clear()
        self._write(f"{text}\n")

    def fail(self, text: str) -> None:
        """Say what went wrong."""
        self.clear()
        self._write(f"{self._paint(text, '31')}\n")

    def clear(self) -> None:
        """Take the live line away."""
        if self._live:
            self._write(ERASE_LINE)

    @property
    def seconds(self) -> float:
        """How long the command has been running."""
        return time.monotonic() - self._began

    def _paint(self, text: str, colour: str) -> str:
        return f"\x1b[{colour}m{text}\x1b[0m" if self._colour else text

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()
