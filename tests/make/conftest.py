"""The Makefile in a directory of its own, where programs cost milliseconds and wait at gates until a test opens them."""

import os
import shutil
import stat
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.gates import PASS_GATE, Gate, make_gate, signals_heard
from tests.synthesis import PROJECT_ROOT

#: With them, make says in which directory it is.
MAKE_VARIABLES = ("MAKEFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "MFLAGS")
#: Part of every program, which waits at the gate of its ``$name``.
START = f"""\
mkdir -p "$ROOT/.log"
echo "$name" >> "$ROOT/.log/started"
gate=$ROOT/$name
{PASS_GATE}
"""


@dataclass(frozen=True)
class Checkout:
    """A directory with the Makefile."""

    directory: Path
    variables: Mapping[str, str] = field(default_factory=dict)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start make in a process group of its own, as a shell does."""
        with signals_heard():
            return subprocess.Popen(
                ["make", *arguments],
                cwd=self.directory,
                env={**_outside_of_make(), "ROOT": str(self.directory), **self.variables},
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
        return make_gate(self.directory / name)

    def add_program(self, path: str, text: str) -> None:
        file = self.directory / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.replace("START\n", START), "utf-8")
        file.chmod(stat.S_IRWXU)

    def started(self) -> list[str]:
        """Return the names of the programs that were started, and forget them."""
        log = self.directory / ".log" / "started"
        names = log.read_text("utf-8").split() if log.is_file() else []
        log.unlink(missing_ok=True)
        return names


def _outside_of_make() -> dict[str, str]:
    """Return our environment without what make tells the programs that it starts, these tests among them."""
    return {name: value for name, value in os.environ.items() if name not in MAKE_VARIABLES}


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """Return a directory with what make asks for; the sources are as old as they can be."""
    for name in ("Makefile", "set_up.py"):
        if (PROJECT_ROOT / name).exists():
            shutil.copy(PROJECT_ROOT / name, tmp_path / name)
    (tmp_path / "tools" / "localcloud").mkdir(parents=True)
    for name in (
        "requirements.lock",
        "requirements-dev.lock",
        "pyproject.toml",
        "tools/localcloud/pyproject.toml",
    ):
        (tmp_path / name).write_text(f"{name}\n", "utf-8")
        os.utime(tmp_path / name, (0, 0))
    return tmp_path
