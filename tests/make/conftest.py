"""The Makefile in a directory of its own, where programs cost milliseconds and wait at gates until a test opens them."""

import os
import shutil
import stat
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.synthesis import PROJECT_ROOT

#: Part of every program: says that ``$name`` has begun, and goes on when the gate opens, if the test has put one there.
PASS_GATE = """\
echo "$name" >> "$ROOT/begun.log"
if [ -p "$ROOT/$name.begun" ]; then
    exec 9> "$ROOT/$name.begun"
    echo begun >&9
    read -r _ < "$ROOT/$name.gate"
fi
"""


@dataclass(frozen=True)
class Gate:
    """Where a program waits."""

    begun: Path
    gate: Path

    def wait(self) -> "Waiting":
        """Return when a program has come to the gate."""
        held = os.open(self.begun, os.O_RDONLY)
        assert os.read(held, 6) == b"begun\n"
        # Whoever comes next goes on without waiting.
        self.begun.unlink()
        return Waiting(self.gate, held)


@dataclass(frozen=True)
class Waiting:
    """A program at a gate."""

    gate: Path
    held: int

    def open(self) -> None:
        """Let the program go on, and return when it has ended."""
        self.gate.write_text("go on\n")
        self.wait_for_end()

    def wait_for_end(self) -> None:
        """Return when the program, which holds a pipe open as long as it lives, has ended."""
        assert os.read(self.held, 1) == b""
        os.close(self.held)


@dataclass(frozen=True)
class Checkout:
    """A directory with the Makefile."""

    directory: Path
    variables: Mapping[str, str] = field(default_factory=dict)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start make in a process group of its own, as a shell does."""
        return subprocess.Popen(
            ["make", *arguments],
            cwd=self.directory,
            env={**os.environ, "ROOT": str(self.directory), **self.variables},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def make(self, *arguments: str) -> tuple[int, str, str]:
        """Run make to its end; return exit code, output and errors."""
        process = self.start(*arguments)
        output, errors = process.communicate()
        return process.returncode, output, errors

    def add_gate(self, name: str) -> Gate:
        """Make the next program of a name wait."""
        gate = Gate(self.directory / f"{name}.begun", self.directory / f"{name}.gate")
        os.mkfifo(gate.begun)
        os.mkfifo(gate.gate)
        return gate

    def add_program(self, path: str, text: str) -> None:
        file = self.directory / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.replace("PASS_GATE\n", PASS_GATE), "utf-8")
        file.chmod(stat.S_IRWXU)

    def begun(self) -> list[str]:
        """Return the names of the programs that were started, and forget them."""
        log = self.directory / "begun.log"
        names = log.read_text("utf-8").split() if log.is_file() else []
        log.unlink(missing_ok=True)
        return names


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """Return a directory with what make asks for; the sources are as old as they can be."""
    for name in ("Makefile", "set_up.py"):
        if (PROJECT_ROOT / name).exists():
            shutil.copy(PROJECT_ROOT / name, tmp_path / name)
    for name in ("requirements.lock", "requirements-dev.lock", "pyproject.toml"):
        (tmp_path / name).write_text(f"{name}\n", "utf-8")
        os.utime(tmp_path / name, (0, 0))
    return tmp_path
