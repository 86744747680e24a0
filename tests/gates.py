"""Order what processes do without looking at the clock: they wait at gates until a test opens them."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any

#: For a shell, with ``$gate`` as the path of one: says that the gate is reached, and takes it away from whoever comes later.
REACH_GATE = """\
exec 9> "$gate.reached"
rm "$gate.reached"
echo reached >&9
"""
#: The same, where there is one, and goes on when it opens.
PASS_GATE = f"""\
if [ -p "$gate.reached" ]; then
{REACH_GATE}
read -r _ < "$gate.open"
fi
"""


@dataclass(frozen=True)
class Gate:
    """Where one process waits."""

    path: Path

    def wait(self, process: subprocess.Popen[Any]) -> "Waiting":
        """Return when ``process``, or what it started, has come; fail when it has ended and none has."""
        Thread(target=self._say_when_ended, args=(process,), daemon=True).start()
        held = os.open(f"{self.path}.reached", os.O_RDONLY)
        assert os.read(held, 100) == b"reached\n", f"ended with {process.returncode} before the gate"
        Path(f"{self.path}.reached").unlink(missing_ok=True)
        return Waiting(self.path, held)

    def _say_when_ended(self, process: subprocess.Popen[Any]) -> None:
        process.wait()
        # It is gone once somebody has come.
        with suppress(FileNotFoundError, BrokenPipeError):
            descriptor = os.open(f"{self.path}.reached", os.O_WRONLY)
            os.write(descriptor, b"ended\n")
            os.close(descriptor)


@dataclass(frozen=True)
class Waiting:
    """A process at a gate; it, and what it started, hold a pipe open as long as they live."""

    path: Path
    held: int

    def open(self) -> None:
        """Let the process go on, and return when it has ended."""
        Path(f"{self.path}.open").write_text("go on\n")
        self.wait_for_end()

    def wait_for_end(self) -> None:
        """Return when the process has ended, with all that it started, and has said nothing else."""
        assert os.read(self.held, 100) == b""
        os.close(self.held)


def make_gate(path: Path) -> Gate:
    """Make a gate out of two named pipes."""
    os.mkfifo(f"{path}.reached")
    os.mkfifo(f"{path}.open")
    return Gate(path)


@contextmanager
def signals_heard() -> Iterator[None]:
    """Let processes that are started here hear signals also where our own does not: behind ``nohup`` and ``&``."""
    numbers = (signal.SIGINT, signal.SIGHUP)
    before = {number: signal.signal(number, signal.default_int_handler) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
