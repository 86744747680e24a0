"""Saved outputs by content: what was synthesized once is not synthesized again."""

import atexit
import os
import shutil
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import mkdtemp

#: Outputs that are kept; the least recently used ones go.
KEPT_OUTPUTS = 24
#: Below a project.
PLACE = Path(".sizewell", "outputs")
#: Part of every key: raised when the way of synthesizing changes.
FORMAT = "2"
_SIDES = "sides"
_NEW = ".new-"
#: In every output: what its other files were when it was saved.
_DIGEST = ".digest"
#: What a killed process left behind is of no use to anybody after a day.
_STALE_SECONDS = 24 * 3600


def output_key(
    tree_id: str, environment: str | None, context: Mapping[str, str], packages: Iterable[str]
) -> str:
    """Return the key of an output: files, environment, context, and the packages that synthesize it."""
    parts = [
        FORMAT,
        tree_id,
        environment or "",
        *(f"{name}={value}" for name, value in sorted(context.items())),
        sys.version,
        *packages,
    ]
    return sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()


class OutputCache:
    """The saved outputs of a project; several processes may use them at once.

    Where the project cannot be written to, they are saved elsewhere for the time of this process.
    """

    def __init__(self, project: Path) -> None:
        self._directory = project / PLACE
        self.refusal: str | None = None
        """Why outputs are not kept, where nothing can be written: they go when this process ends."""
        try:
            self._directory.mkdir(parents=True, exist_ok=True)
            ignore = self._directory / ".gitignore"
            if not ignore.is_file():
                ignore.write_text("*\n", "utf-8")
            Path(mkdtemp(prefix=_NEW, dir=self._directory)).rmdir()
        except OSError as error:
            self.refusal = f"{self._directory} cannot be written ({error.strerror}): outputs are not kept"
            self._directory = _elsewhere(self._directory)

    def find(self, key: str) -> Path | None:
        """Return the output of a key, which counts as used; None where there is none, or not as it was saved."""
        output = self._directory / key
        if not output.is_dir():
            return None
        try:
            if (output / _DIGEST).read_text("utf-8") == content_digest(output):
                os.utime(output)
                return output
        except (OSError, UnicodeDecodeError):
            pass
        self._drop(output)
        return None

    @contextmanager
    def new_output(self, key: str) -> Iterator[Path]:
        """Yield an empty directory, which becomes the output of a key, whole, unless an exception is raised."""
        with self._new_directory(key) as temporary:
            yield temporary
            (temporary / _DIGEST).write_text(content_digest(temporary), "utf-8")

    def assemble(self, keys: Mapping[str, str]) -> Path:
        """Return a directory with the outputs of several environments by name."""
        content = "\0".join(f"{name}={key}" for name, key in sorted(keys.items()))
        name = f"{_SIDES}/{sha256(content.encode('utf-8', 'surrogateescape')).hexdigest()}"
        links = {name: Path("..", "..", key) for name, key in keys.items()}
        side = self._directory / name
        if _links(side) != links:
            self._drop(side)
            with self._new_directory(name) as temporary:
                side.parent.mkdir(exist_ok=True)
                for environment, target in links.items():
                    Path(temporary, environment).symlink_to(target, target_is_directory=True)
        return side

    @contextmanager
    def _new_directory(self, name: str) -> Iterator[Path]:
        temporary = Path(mkdtemp(prefix=_NEW, dir=self._directory))
        try:
            yield temporary
            # Another process may have been faster with the same content.
            with suppress(OSError):
                temporary.rename(self._directory / name)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)

    def _drop(self, path: Path) -> None:
        """Take a directory out of the way, also where some file in it cannot be removed."""
        aside = Path(mkdtemp(prefix=_NEW, dir=self._directory))
        with suppress(FileNotFoundError):
            path.rename(aside / "dropped")
        shutil.rmtree(aside, ignore_errors=True)

    def prune(self, *, at_least: int) -> None:
        """Drop the least recently used outputs, but keep ``at_least`` of them."""
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


@cache
def _elsewhere(directory: Path) -> Path:
    """Return a directory that stands for another one until the process ends."""
    temporary = Path(mkdtemp(prefix="sizewell-outputs-"))
    atexit.register(shutil.rmtree, temporary, ignore_errors=True)
    return temporary


def _used(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return 0.0


def content_digest(output: Path) -> str:
    """Return a digest of all files of an output, but for the one that holds the digest."""
    digest = sha256()
    for path in sorted(_below(output)):
        name = path.relative_to(output).as_posix()
        if name == _DIGEST:
            continue
        content = os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes()
        digest.update(f"{name}\0{len(content)}\0".encode("utf-8", "surrogateescape"))
        digest.update(content)
    return digest.hexdigest()


def _below(directory: Path) -> Iterator[Path]:
    """Yield all files and links, also links to directories, into which nothing goes."""
    for place, directories, files in os.walk(directory):
        for name in (*files, *directories):
            path = Path(place, name)
            if path.is_symlink() or path.is_file():
                yield path


def _links(side: Path) -> dict[str, Path] | None:
    try:
        return {link.name: link.readlink() for link in side.iterdir()}
    except OSError:
        return None
