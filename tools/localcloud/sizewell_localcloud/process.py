"""Start the emulator on a free port of loopback, wait until it answers, and end it with everything it started."""

import contextlib
import http.client
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sizewell_localcloud.emulator.access import TOKEN_NAME
from sizewell_localcloud.identity import listens
from sizewell_localcloud.interrupts import held
from sizewell_localcloud.places import IMPORT_ROOT, SERVER_MODULE
from sizewell_localcloud.variables import LOOPBACK, server_variables

COMMAND = (sys.executable, "-m", SERVER_MODULE)
LOG_NAME = "emulator.log"
#: Before a command that leads a session of its own, with a pipe as its standard input: kills it, with all that it started, when
#: our end of the pipe closes, also when we are killed. What waits for that holds no other stream open.
TIED = (
    "/bin/bash",
    "-c",
    'exec 3<&0 </dev/null; (read -r _ <&3; kill -KILL 0) >/dev/null 2>&1 & exec "$@" 3<&-',
    "tied",
)
#: The server ends when this is set and its standard input closes: a parent that dies takes it along.
EXIT_WITH_STDIN = "LOCALCLOUD_EXIT_WITH_STDIN"
START_SECONDS = 60.0
STOP_SECONDS = 5.0
#: Between choosing a free port and listening on it, somebody else may take it.
ATTEMPTS = 3


class StartError(Exception):
    """The emulator ended, or did not answer in time."""


@dataclass(frozen=True)
class Server:
    """An emulator that was started, and the secret that it demands of every request."""

    port: int
    secret: str = field(repr=False)
    process: subprocess.Popen[bytes]


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
    remember: Callable[[Server], None] = lambda server: None,
) -> Server:
    """Start the emulator as ``start_server`` does, and return when it answers.

    ``remember`` is called before anything can interrupt; when the start fails, the process has ended.
    """
    for attempt in range(1, ATTEMPTS + 1):
        server: Server | None = None
        try:
            with held():
                server = start_server(free_port(), folder, tied=tied, wait_scale=wait_scale, command=command)
                remember(server)
            wait_until_healthy(server, folder)
        except BaseException as error:
            if server is not None:
                end_group(server.process)
            if attempt == ATTEMPTS or "already in use" not in str(error):
                raise
        else:
            return server
    raise AssertionError("the last attempt returns or raises")


def start_server(
    port: int, folder: Path, *, tied: bool, wait_scale: float, command: Sequence[str] = COMMAND
) -> Server:
    """Start the emulator in a session of its own, with a new secret; ``folder`` takes its log and all its files.

    ``tied``: it ends when this process ends, however that happens. Otherwise it lives on.
    """
    (folder / "tmp").mkdir(parents=True, exist_ok=True)
    secret = secrets.token_urlsafe()
    variables = server_variables(port, secret, folder, wait_scale)
    if tied:
        variables[EXIT_WITH_STDIN] = "1"
    with (folder / LOG_NAME).open("ab") as log:
        process = subprocess.Popen(
            command,
            cwd=IMPORT_ROOT,
            env=variables,
            stdin=subprocess.PIPE if tied else subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    return Server(port, secret, process)


def wait_until_healthy(server: Server, folder: Path, seconds: float = START_SECONDS) -> None:
    """Return when the emulator answers; fail with the end of its log when it has ended or takes too long."""
    deadline = time.monotonic() + seconds
    process = server.process
    while process.poll() is None:
        # In this order: the secret goes to nobody who took the port before.
        if listens(process.pid, server.port) and healthy(server.port, server.secret):
            return
        if time.monotonic() > deadline:
            raise StartError(f"the emulator did not answer within {seconds:g} s\n{end_of_log(folder)}")
        time.sleep(0.05)
    raise StartError(f"the emulator ended with code {process.returncode}\n{end_of_log(folder)}")


def healthy(port: int, secret: str) -> bool:
    """Return whether the emulator that takes this secret answers on the port."""
    try:
        return request(port, secret, "GET", "/_ministack/health", seconds=10) == 200
    except (OSError, http.client.HTTPException):
        return False


def request(port: int, secret: str, method: str, path: str, seconds: float = 30) -> int:
    """Send a request over loopback, never through a proxy, and return the status of the answer."""
    connection = http.client.HTTPConnection(LOOPBACK, port, timeout=seconds)
    try:
        connection.request(method, path, headers={TOKEN_NAME: secret})
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
