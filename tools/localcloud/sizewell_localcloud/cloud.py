"""A local cloud for the length of a ``with`` block: what the integration tests use."""

import atexit
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from sizewell_localcloud.process import COMMAND, LOG_NAME, Server, end_group, request, start_on_free_port
from sizewell_localcloud.variables import LOOPBACK, client_environment


class LocalCloud:
    """An emulator of its own on a free port of loopback; it never outlives the process that started it."""

    def __init__(self, *, wait_scale: float = 0.0, command: Sequence[str] = COMMAND) -> None:
        self.folder = Path()
        self._wait_scale = wait_scale
        self._command = command
        self._server: Server | None = None

    def start(self) -> Self:
        """Start it and wait until it answers."""
        self.folder = Path(tempfile.mkdtemp(prefix="sizewell-local-cloud-"))
        atexit.register(self.stop)
        try:
            self._server = start_on_free_port(
                self.folder, tied=True, wait_scale=self._wait_scale, command=self._command
            )
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self) -> None:
        """End it with everything it started, and remove its files. May be called twice."""
        if self._server is not None:
            end_group(self._server.process)
            self._server = None
        if self.folder != Path():
            shutil.rmtree(self.folder, ignore_errors=True)
        atexit.unregister(self.stop)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def server(self) -> Server:
        """The server, while it runs."""
        assert self._server is not None, "it is not running"
        return self._server

    @property
    def port(self) -> int:
        """The port of loopback on which it listens."""
        return self.server.port

    @property
    def secret(self) -> str:
        """What it demands of every request, as the session token of the credentials."""
        return self.server.secret

    @property
    def endpoint_url(self) -> str:
        """The address for ``AWS_ENDPOINT_URL``."""
        return f"http://{LOOPBACK}:{self.port}"

    @property
    def pid(self) -> int:
        """The process id of the server, for tests that look at it."""
        return self.server.process.pid

    def environment(self, account: str, region: str) -> dict[str, str]:
        """Return a whole environment for ``cdk`` or a script: no other credentials, profiles or proxies are in it."""
        home = self.folder / "cdk-home"
        # A fifth of a second of each ``cdk`` is the compilation of the CLI.
        compiled = {"NODE_COMPILE_CACHE": str(home / "compiled")}
        return client_environment(self.endpoint_url, self.secret, account, region, home) | compiled

    def reset(self) -> None:
        """Forget every resource of every account."""
        status = request(self.port, self.secret, "POST", "/_ministack/reset")
        assert status == 200, f"reset answered {status}"

    def log(self) -> str:
        """Return what the server has written."""
        path = self.folder / LOG_NAME
        return path.read_text("utf-8", errors="replace") if path.exists() else ""
