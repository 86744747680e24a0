"""A local cloud for the length of a ``with`` block: what the integration tests use."""

import atexit
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from localcloud.process import COMMAND, LOG_NAME, end_group, request, start_on_free_port
from localcloud.variables import LOOPBACK, client_environment


class LocalCloud:
    """An emulator of its own on a free port of loopback; it never outlives the process that started it."""

    def __init__(self, *, wait_scale: float = 0.0, command: Sequence[str] = COMMAND) -> None:
        self.port = 0
        self.folder = Path()
        self._wait_scale = wait_scale
        self._command = command
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> Self:
        """Start it and wait until it answers."""
        self.folder = Path(tempfile.mkdtemp(prefix="sizewell-local-cloud-"))
        atexit.register(self.stop)
        try:
            self.port, self._process = start_on_free_port(
                self.folder, tied=True, wait_scale=self._wait_scale, command=self._command
            )
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self) -> None:
        """End it with everything it started, and remove its files. May be called twice."""
        if self._process is not None:
            end_group(self._process)
            self._process = None
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
    def endpoint_url(self) -> str:
        """The address for ``AWS_ENDPOINT_URL``."""
        return f"http://{LOOPBACK}:{self.port}"

    @property
    def pid(self) -> int:
        """The process id of the server, for tests that look at it."""
        assert self._process is not None, "it is not running"
        return self._process.pid

    def environment(self, account: str, region: str) -> dict[str, str]:
        """Return a whole environment for ``cdk`` or a script: no other credentials, profiles or proxies are in it."""
        return client_environment(self.endpoint_url, account, region, self.folder / "cdk-home")

    def reset(self) -> None:
        """Forget every resource of every account."""
        status = request(self.port, "POST", "/_ministack/reset")
        assert status == 200, f"reset answered {status}"

    def log(self) -> str:
        """Return what the server has written."""
        path = self.folder / LOG_NAME
        return path.read_text("utf-8", errors="replace") if path.exists() else ""
