"""The one local cloud of a platform: started once, found again by later commands, ended by ``destroy``.

Whoever changes it holds ``exclusive``.
"""

import contextlib
import fcntl
import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from sizewell_localcloud.identity import start_time
from sizewell_localcloud.places import MARKER, STATE_DIRECTORY
from sizewell_localcloud.process import (
    COMMAND,
    STOP_SECONDS,
    Server,
    healthy,
    signal_group,
    start_on_free_port,
)
from sizewell_localcloud.state import State, code_version, load_state, save_state

#: State machines wait a thousandth of their time: nobody wants to watch a retry in six minutes.
WAIT_SCALE = 0.001


class BusyError(Exception):
    """Another command changes the local cloud of this platform."""


class ForeignDirectoryError(Exception):
    """The state directory holds files that are not ours."""


@contextlib.contextmanager
def exclusive(directory: Path = STATE_DIRECTORY) -> Iterator[None]:
    """Keep other commands of this platform away; the directory itself is the lock, and goes when nothing is in it.

    A directory that is new or empty becomes ours; one with files of somebody else is refused.
    """
    while True:
        directory.mkdir(mode=0o700, exist_ok=True)
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Its last holder may have removed the directory meanwhile.
            if directory.exists() and directory.stat().st_ino == os.fstat(descriptor).st_ino:
                break
        except BlockingIOError:
            os.close(descriptor)
            raise BusyError("another command is at work on the local cloud of this platform") from None
        os.close(descriptor)
    try:
        claim(directory)
        try:
            yield
        finally:
            with contextlib.suppress(OSError):
                if all(path.name == MARKER for path in directory.iterdir()):
                    (directory / MARKER).unlink(missing_ok=True)
                    directory.rmdir()
    finally:
        os.close(descriptor)


def claim(directory: Path = STATE_DIRECTORY) -> None:
    """Mark an empty directory as ours, and close it to others; refuse one that holds something and is not marked."""
    require_ours(directory)
    directory.chmod(0o700)
    (directory / MARKER).touch()


def require_ours(directory: Path) -> None:
    """Fail when a directory is of another user, or holds something and is not marked as ours."""
    if directory.exists() and directory.stat().st_uid != os.getuid():
        raise ForeignDirectoryError(
            f"{directory} belongs to another user, and nothing in it was touched; SIZEWELL_LOCAL_STATE must name a "
            "directory of yours, or one that is not there yet"
        )
    if directory.exists() and any(directory.iterdir()) and not (directory / MARKER).is_file():
        raise ForeignDirectoryError(
            f"{directory} has files in it, but no {MARKER}: it does not belong to the local cloud, and nothing in it "
            "was touched; SIZEWELL_LOCAL_STATE must name a new or an empty directory"
        )


def find(directory: Path = STATE_DIRECTORY) -> State | None:
    """Return the local cloud that runs and answers; change nothing."""
    state = load_state(directory)
    return state if state is not None and state.is_ours() and healthy(state.port, state.secret) else None


def find_or_clean_up(directory: Path = STATE_DIRECTORY, say: Callable[[str], None] = print) -> State | None:
    """Return the local cloud that can be used; end and remove what is left of one that cannot, and say so."""
    state = load_state(directory)
    if state is None or not state.is_ours():
        if state is not None:
            say("the earlier local cloud is gone (its process has ended): cleaning up after it")
        remove_files(directory)
        return None
    if not healthy(state.port, state.secret):
        say(f"the local cloud (process {state.pid}) does not answer any more: ending it")
    elif state.code != code_version():
        say("the local cloud that runs is of older code: starting a new, empty one")
    else:
        return state
    end(directory)
    return None


def start(directory: Path = STATE_DIRECTORY, command: Sequence[str] = COMMAND) -> State:
    """Start the emulator so that it goes on living, and return when it answers."""

    def remember(server: Server) -> None:
        pid = server.process.pid
        save_state(State(pid, start_time(pid) or "", server.port, code_version(), server.secret), directory)

    server = start_on_free_port(
        directory, tied=False, wait_scale=WAIT_SCALE, command=command, remember=remember
    )
    # It is meant to outlive us: without this, Python warns that nobody waited for it.
    server.process.returncode = 0
    state = load_state(directory)
    assert state is not None, "it was just written"
    return state


def end(directory: Path = STATE_DIRECTORY) -> None:
    """End the emulator, if the process is still ours, with everything it started, and remove its files."""
    require_ours(directory)
    state = load_state(directory)
    if state is not None and state.is_ours():
        signal_group(state.pid, signal.SIGTERM)
        deadline = time.monotonic() + STOP_SECONDS
        while state.is_ours() and time.monotonic() < deadline:
            _collect(state.pid)
            time.sleep(0.02)
        signal_group(state.pid, signal.SIGKILL)
        _collect(state.pid)
    remove_files(directory)


def remove_files(directory: Path = STATE_DIRECTORY) -> None:
    """Remove everything that the local cloud has written, and never anything from a directory that is not ours.

    The directory and its marker go when nobody needs the lock any more.
    """
    require_ours(directory)
    for path in directory.glob("*"):
        if path.name == MARKER:
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _collect(pid: int) -> None:
    """Collect the end of the process where it is a child of this very command."""
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)
