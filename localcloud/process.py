"""Start the emulator on a free port of loopback, wait until it answers, and end it with everything it started."""

import contextlib
import http.client
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from localcloud.identity import listens
from localcloud.interrupts import held
from localcloud.places import LOCAL_PYTHON, PROJECT_ROOT, SERVER_MODULE
from localcloud.variables import LOOPBACK, server_variables

COMMAND = (str(LOCAL_PYTHON), "-m", SERVER_MODULE)
LOG_NAME = "emulator.log"
#: The server ends when this is set and its standard input closes: a parent that dies takes it along.
EXIT_WITH_STDIN = "LOCALCLOUD_EXIT_WITH_STDIN"
START_SECONDS = 60.0
STOP_SECONDS = 5.0
#: Between choosing a free port and listening on it, somebody else may take it.
ATTEMPTS = 3


class StartError(Exception):
    """The emulator ended, or did not answer in time."""


def free_port() -> int:
    """Return a port of loopback that nobody listens on now."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])


def start_on_free_port(
    folder: Path,
    *,
    tied: bool,
    wait_scale: float,
    command: Sequence[str] = COMMAND,
    remember: Callable[[int, subprocess.Popen[bytes]], None] = lambda port, process: None,
) -> tuple[int, subprocess.Popen[bytes]]:
    """Start the emulator as ``start_server`` does, wait until it answers, and return its port and its process.

    ``remember`` is called before anything can interrupt; when the start fails, the process has ended.
    """
    for attempt in range(1, ATTEMPTS + 1):
        process: subprocess.Popen[bytes] | None = None
        port = free_port()
        try:
            with held():
                process = start_server(port, folder, tied=tied, wait_scale=wait_scale, command=command)
                remember(port, process)
            wait_until_healthy(process, port, folder)
        except BaseException as error:
            if process is not None:
                end_group(process)
            if attempt == ATTEMPTS or "already in use" not in str(error):
                raise
        else:
            return port, process
    raise AssertionError("the last attempt returns or raises")


def start_server(
    port: int, folder: Path, *, tied: bool, wait_scale: float, command: Sequence[str] = COMMAND
) -> subprocess.Popen[bytes]:
    """Start the emulator in a session of its own; ``folder`` takes its log and all its files.

    ``tied``: it ends when this process ends, however that happens. Otherwise it lives on.
    """
    (folder / "tmp").mkdir(parents=True, exist_ok=True)
    variables = server_variables(port, folder, wait_scale)
    if tied:
        variables[EXIT_WITH_STDIN] = "1"
    with (folder / LOG_NAME).open("ab") as log:
        return subprocess.Popen(
            command,
            cwd=PROJECT_ROOT,
            env=variables,
            stdin=subprocess.PIPE if tied else subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def wait_until_healthy(
    process: subprocess.Popen[bytes], port: int, folder: Path, seconds: float = START_SECONDS
) -> None:
    """Return when the emulator answers; fail with the end of its log when it has ended or takes too long."""
    deadline = time.monotonic() + seconds
    while process.poll() is None:
        if healthy(port) and listens(process.pid, port):
            return
        if time.monotonic() > deadline:
            raise StartError(f"the emulator did not answer within {seconds:g} s\n{end_of_log(folder)}")
        time.sleep(0.05)
    raise StartError(f"the emulator ended with code {process.returncode}\n{end_of_log(folder)}")


def healthy(port: int) -> bool:
    """Return whether an emulator answers on the port."""
    try:
        return request(port, "GET", "/_ministack/health", seconds=2) == 200
    except (OSError, http.client.HTTPException):
        return False


def request(port: int, method: str, path: str, seconds: float = 30) -> int:
    """Send a request over loopback, never through a proxy, and return the status of the answer."""
    connection = http.client.HTTPConnection(LOOPBACK, port, timeout=seconds)
    try:
        connection.request(method, path)
        response = connection.getresponse()
        response.read()
        return response.status
    finally:
        connection.close()


def end_of_log(folder: Path, lines: int = 20) -> str:
    """Return the last lines that the emulator wrote."""
    log = folder / LOG_NAME
    written = log.read_text("utf-8", errors="replace").splitlines() if log.exists() else []
    return "\n".join(written[-lines:]) or "(it wrote nothing)"


def end_group(process: subprocess.Popen[bytes]) -> None:
    """End a child that leads its own session, and everything it started: politely, then not."""
    signal_group(process.pid, signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(STOP_SECONDS)
    signal_group(process.pid, signal.SIGKILL)
    process.wait()
    if process.stdin is not None:
        process.stdin.close()


def signal_group(leader: int, number: signal.Signals) -> None:
    """Send a signal to the group of a session leader that we started, if any of it is left."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, number)
