"""The one place where commands write: standard output, standard error, and files that are whole or not there."""

import errno
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path
from typing import TextIO

import typer

from sizewell.whole_files import replace_file, staged_file

STANDARD_OUTPUT = "the standard output"
#: What to do about it, by what the system said.
_HINTS = {
    errno.ENOSPC: "make room on the disk, then run it again",
    errno.EDQUOT: "make room in your quota, then run it again",
    errno.EFBIG: "raise the limit of the size of files (ulimit -f), then run it again",
    errno.EROFS: "run it where the files can be changed: this file system is read-only",
    errno.EACCES: "get the permission to write there, then run it again",
    errno.EPERM: "get the permission to write there, then run it again",
    errno.EEXIST: "name a directory that is not there yet",
    errno.ENOENT: "name a file in a directory that exists",
    errno.ENOTDIR: "name a file in a directory that exists",
    errno.EISDIR: "name a file: this is a directory",
    errno.ENAMETOOLONG: "take a shorter name",
    errno.ELOOP: "remove the link: it leads to itself",
}


class RefusedError(Exception):
    """The system refuses to write; the text says where, why, and what to do."""

    def __init__(self, error: OSError, place: str) -> None:
        super().__init__(f"{place}\n  cannot be written: {refusal(error)}")


def refusal(error: OSError) -> str:
    """Return what the system said, and in the next line what to do about it."""
    said = error.strerror or str(error) or type(error).__name__
    return f"{said}\n  {_HINTS.get(error.errno or 0, 'mend that, then run it again')}"


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn what the system says against writing a file or directory into a ``RefusedError``."""
    try:
        yield
    except OSError as error:
        raise RefusedError(error, path.as_posix()) from None


def write_file(path: Path, text: str) -> bool:
    """Write a file in one step, so that nobody reads half of it; return whether it has changed.

    A link is followed, and its target created where it is missing; the permissions of a file stay. What is no
    file, such as /dev/null, is written to as it is. Raises ``RefusedError``; then nothing has changed.
    """
    content = text.encode()
    with writing(path):
        if path.exists() and not path.is_file():
            path.write_bytes(content)
            return True
        # realpath ends at a link only where links lead in a circle.
        place = Path(os.path.realpath(path))
        if place.is_symlink():
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        if place.exists() and place.read_bytes() == content:
            return False
        replace_file(place, content)
    return True


def write_files(contents: Mapping[Path, bytes]) -> None:
    """Write files with the directories that they need: all of them, or, where the system refuses one, none.

    Raises ``RefusedError``.
    """
    with ExitStack() as undo:
        partials = {}
        for path, content in contents.items():
            with writing(path):
                for directory in reversed([parent for parent in path.parents if not parent.exists()]):
                    directory.mkdir()
                    undo.callback(_remove_directory, directory)
                if path.is_dir():
                    raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
                partials[path] = undo.enter_context(staged_file(path, content))
        for path, partial in partials.items():
            with writing(path):
                os.replace(partial, path)
        undo.pop_all()


def _remove_directory(directory: Path) -> None:
    with suppress(OSError):
        directory.rmdir()


def echo(text: str, *, newline: bool = True) -> None:
    """Print on standard output; raises ``RefusedError``."""
    with printing():
        typer.echo(text, nl=newline)


@contextmanager
def printing() -> Iterator[None]:
    """Turn what the system says against printing into a ``RefusedError``; a reader that has gone has read enough."""
    try:
        yield
    except OSError as error:
        discard(sys.stdout)
        if error.errno != errno.EPIPE:
            raise RefusedError(error, STANDARD_OUTPUT) from None


def tell(text: str, *, newline: bool = True) -> None:
    """Print a message or progress on standard error; where that is refused, there is nobody to tell."""
    try:
        typer.echo(text, err=True, nl=newline)
    except OSError:
        discard(sys.stderr)


def discard(stream: TextIO) -> None:
    """Send the rest of a stream nowhere: Python writes what is left when it ends, and would complain again."""
    with suppress(OSError, ValueError):
        descriptor, nowhere = stream.fileno(), os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, descriptor)
        os.close(nowhere)


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Let no other command read, change and write the same file meanwhile: it waits, and says so.

    The lock is the directory of the file, so that nothing is left in it, and goes with the process. Where the
    directory cannot be locked, as on some network file systems, nothing is.
    """
    directory = Path(os.path.realpath(path)).parent
    try:
        descriptor = os.open(directory, os.O_RDONLY)
    except OSError:
        yield
        return
    try:
        with suppress(OSError):
            try:
                flock(descriptor, LOCK_EX | LOCK_NB)
            except BlockingIOError:
                tell(f"waiting for another command that changes {path.as_posix()} ...")
                flock(descriptor, LOCK_EX)
        yield
    finally:
        os.close(descriptor)
