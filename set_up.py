"""Make an environment whole or not at all: ``python set_up.py .venv/.dev-ready``, which make starts.

Runs before anything is installed, with the standard library and modules that need no more. Of several makes at once, one
works and the others wait. An environment without stamps is half-made, and is made again from nothing.
"""

import fcntl
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from sizewell.synthesis.processes import started, termination_as_exit


@dataclass(frozen=True)
class Layer:
    """What is installed together, on top of the layers before it."""

    stamp: str
    """The file in the environment that comes last: a copy of the sources."""
    sources: tuple[str, ...]
    installs: tuple[tuple[str, ...], ...]
    """Arguments of ``pip install``, one call after another."""
    announcement: str


def _locked(file: str) -> tuple[str, ...]:
    return ("--require-hashes", "--requirement", file)


def _editable(project: str) -> tuple[str, ...]:
    return ("--no-deps", "--no-build-isolation", "--editable", project)


RUN = Layer(
    ".run-ready",
    ("requirements.lock", "pyproject.toml"),
    (_locked("requirements.lock"), _editable(".")),
    "Setting up {} from requirements.lock (once, about a minute) ...",
)
DEV = Layer(
    ".dev-ready",
    ("requirements-dev.lock", "tools/localcloud/pyproject.toml"),
    (_locked("requirements-dev.lock"), _editable("tools/localcloud")),
    "Adding the tools of requirements-dev.lock (once) ...",
)
#: In an environment of its own: what builds the site decides about no version of ours.
SITE = Layer(
    ".site-ready",
    ("requirements-site.lock",),
    (_locked("requirements-site.lock"),),
    "Setting up {} from requirements-site.lock (once) ...",
)
#: By the stamp that make asks for.
LAYERS = {layers[-1].stamp: layers for layers in ((RUN,), (RUN, DEV), (SITE,))}

#: Not the Python of an active environment: that may be the environment which is made again.
BASE_PYTHON: str = getattr(sys, "_base_executable", sys.executable)


def main(stamp: Path) -> int:
    """Make the environment of a stamp, and the stamp; return the exit code of the first program that fails, or 0."""
    try:
        with termination_as_exit(), _alone(stamp.parent) as lock:
            Environment(stamp.parent, lock).complete(LAYERS[stamp.name])
    except subprocess.CalledProcessError as error:
        return error.returncode
    except OSError as error:
        print(
            f"{error.filename or stamp.parent}: {error.strerror}; mend this, then run make again",
            file=sys.stderr,
        )
        return 1
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    return 0


@dataclass(frozen=True)
class Environment:
    """A virtual environment, while nobody else changes it."""

    directory: Path
    lock: int
    """The file descriptor of the lock: programs inherit it, so what a killed make left running holds it, too."""

    def complete(self, layers: Sequence[Layer]) -> None:
        """Install the layers whose sources have changed since, and write the stamps."""
        wanted = {layer: b"".join(Path(source).read_bytes() for source in layer.sources) for layer in layers}
        standing = list(takewhile(lambda layer: self._stamped(layer) == wanted[layer], layers))
        missing = layers[len(standing) :]
        if missing:
            self._install(missing)
        for layer in layers:
            (self.directory / layer.stamp).write_bytes(wanted[layer])

    @property
    def _python(self) -> Path:
        return self.directory / "bin" / "python"

    def _stamped(self, layer: Layer) -> bytes | None:
        """Return what a layer was made from; None without it, and where the Python below has been removed."""
        stamp = self.directory / layer.stamp
        return stamp.read_bytes() if self._python.exists() and stamp.is_file() else None

    def _install(self, layers: Sequence[Layer]) -> None:
        """Install layers; where this fails, leave the environment as it was, or none."""
        packages = self._packages()
        stamps = [self.directory / layer.stamp for layer in (RUN, DEV, SITE)]
        before = {stamp: stamp.rename(f"{stamp}-before") for stamp in stamps if stamp.is_file()}
        new = not (before and self._python.exists())
        try:
            for layer in layers:
                print(layer.announcement.format(self.directory), file=sys.stderr)
                if new and layer is layers[0]:
                    self._run(BASE_PYTHON, "-m", "venv", "--clear", str(self.directory))
                for arguments in layer.installs:
                    # Python compiles a module on first use; compiling all of the CDK takes a minute.
                    self._run(
                        str(self._python), "-m", "pip", "install", "--quiet", "--no-compile", *arguments
                    )
        except BaseException:
            # A download that fails, as it does without a network, has changed nothing.
            if not new and self._packages() == packages:
                for stamp, kept in before.items():
                    kept.rename(stamp)
            else:
                shutil.rmtree(self.directory, ignore_errors=True)
            raise
        for kept in before.values():
            kept.unlink(missing_ok=True)

    def _packages(self) -> set[str]:
        return {path.name for path in self.directory.glob("lib/python*/site-packages/*")}

    def _run(self, *command: str) -> None:
        """Run a program to its end; when this process is interrupted, end it with all that it started."""
        with started(command, pass_fds=[self.lock]) as process:
            code = process.wait()
        if code:
            raise subprocess.CalledProcessError(code, command)


@contextmanager
def _alone(directory: Path) -> Iterator[int]:
    """Wait until no other process makes this environment; yield the file descriptor of the lock."""
    with Path(f"{directory}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(f"Another make sets up {directory}: waiting until it is done ...", file=sys.stderr)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield lock.fileno()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
