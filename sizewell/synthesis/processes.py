"""Start programs, with an environment of our making, and leave none of them behind."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn, TypeVar

#: What a program has to end after it is asked to.
GRACE_SECONDS = 2
#: How often to look whether one of several programs has ended.
_LOOK_SECONDS = 0.05
#: With these CI cancels a job, and a terminal that is closed ends what runs in it.
_ENDING = (signal.SIGTERM, signal.SIGHUP)


_Result = TypeVar("_Result")
_Key = TypeVar("_Key")
#: Starts a program and yields as long as it runs; closed, it ends the program.
Work = Generator[None, None, _Result]


class SynthesisError(Exception):
    """The files of a side cannot be had, or nothing can be started; says what to do."""


@dataclass(frozen=True)
class Finished:
    """How a program ended, and what it printed."""

    code: int
    stdout: bytes
    stderr: bytes
    """Empty where it was joined to ``stdout``."""


def variables(changes: Mapping[str, str], *, without: Sequence[str] = ()) -> dict[str, str]:
    """Return the environment of this process with changes, and without the variables with these prefixes."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(tuple(without))}
    return {**kept, **changes}


def search_path(*first: Path) -> str:
    """Return PATH with directories in front."""
    return os.pathsep.join([*map(str, first), os.environ.get("PATH", os.defpath)])


def run(
    command: Sequence[str],
    *,
    directory: Path,
    environment: Mapping[str, str],
    stdin: bytes = b"",
    join: bool = False,
) -> Finished:
    """Run a program to its end; ``join`` puts both of its streams into one, in the order of printing.

    When this process is interrupted, the program and all that it started end first. Raises ``OSError`` when it
    cannot be started.
    """
    with started(
        command,
        cwd=directory,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if join else subprocess.PIPE,
    ) as process:
        stdout, stderr = process.communicate(stdin)
    return Finished(process.returncode, stdout, stderr or b"")


@contextmanager
def started(command: Sequence[str], **options: Any) -> Iterator[subprocess.Popen[bytes]]:
    """Start a program, with options of ``Popen``, and wait for it in the end.

    When the block is left by an exception, the program and all that it started end first.
    """
    with ExitStack() as stack:
        with _signals_held():
            process = stack.enter_context(subprocess.Popen(command, start_new_session=True, **options))
            stack.push(lambda kind, *_: _end(process) if kind else None)
        yield process


def side_by_side(works: Mapping[_Key, Work[_Result]], *, at_once: int) -> dict[_Key, _Result]:
    """Return what each piece of work returns; so many of them run at once.

    All in this thread, where signals arrive: when this process is interrupted, or one of them raises, all programs end
    first.
    """
    waiting = list(works.items())
    running: list[tuple[_Key, Work[_Result]]] = []
    results: dict[_Key, _Result] = {}
    try:
        while waiting or running:
            free = at_once - len(running)
            running += waiting[:free]
            del waiting[:free]
            for key, work in tuple(running):
                try:
                    next(work)
                except StopIteration as ended:
                    results[key] = ended.value
                    running.remove((key, work))
            if len(running) == at_once or not waiting:
                time.sleep(_LOOK_SECONDS)
    finally:
        with _signals_held():
            for _, work in running:
                work.close()
    return results


@contextmanager
def _signals_held() -> Iterator[None]:
    """Let signals wait: an exception in the midst of ``Popen`` would leave a program running unseen."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heard: list[int] = []
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, *_ENDING)}
    handlers = {number: handler for number, handler in handlers.items() if callable(handler)}
    for number in handlers:
        signal.signal(number, lambda number, _frame: heard.append(number))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    for again in heard[:1]:
        signal.raise_signal(again)


@contextmanager
def termination_as_exit() -> Iterator[None]:
    """Turn SIGTERM and SIGHUP, unless they are ignored, into ``SystemExit``, so that clean-up happens."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heard = [number for number in _ENDING if signal.getsignal(number) != signal.SIG_IGN]
    previous = {number: signal.signal(number, _exit) for number in heard}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def _exit(number: int, _frame: FrameType | None) -> NoReturn:
    # make passes the signal on that its whole group has had: the second one must not end the clean-up.
    for again in _ENDING:
        signal.signal(again, signal.SIG_IGN)
    raise SystemExit(128 + number)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a program with all that it started: ``cdk`` starts Python, which starts Node.js."""
    _signal_group(process, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        process.wait(GRACE_SECONDS)
    _signal_group(process, signal.SIGKILL)
    process.wait()


def _signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)
