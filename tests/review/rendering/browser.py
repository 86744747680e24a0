"""A headless Chromium that tests talk to through two pipes, in the DevTools protocol: no driver, no socket, no port.

https://chromedevtools.github.io/devtools-protocol/; ``--remote-debugging-pipe`` reads messages from file descriptor 3 and
writes them to 4, each ended by a zero byte.
"""

import fcntl
import json
import os
import shutil
import signal
import subprocess
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
_SWITCHES = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-extensions",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)

Json = dict[str, Any]


def find_chromium() -> str | None:
    """Return the browser of this machine; None without one."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One tab, and every event that it has reported."""

    def __init__(self, to_browser: int, from_browser: int) -> None:
        self.events: list[Json] = []
        self._to, self._from = to_browser, from_browser
        self._unread = b""
        self._last_id = 0
        self._session: str | None = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "DOM"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> Json:
        """Return the answer to one command."""
        self._last_id += 1
        message: Json = {"id": self._last_id, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next_message()
            if answer.get("id") == self._last_id:
                assert "error" not in answer, f"{method}: {answer}"
                result: Json = answer["result"]
                return result
            self.events.append(answer)

    def open(self, page: Path) -> None:
        """Show a file and wait until it is loaded."""
        loaded = self._count_loads()
        self.call("Page.navigate", url=page.as_uri())
        while self._count_loads() == loaded:
            self.events.append(self._next_message())

    def look(self, width: int, scheme: str, height: int = 900) -> None:
        """Set the size of the window and the preferred colours."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def evaluate(self, script: str) -> Any:
        """Return the value of an expression on the page."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def press_tab(self) -> None:
        """Press and release Tab."""
        key = {"key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9}
        self.call("Input.dispatchKeyEvent", type="rawKeyDown", **key)
        self.call("Input.dispatchKeyEvent", type="keyUp", **key)

    def screenshot(self, file: Path) -> None:
        """Save what the window shows."""
        file.write_bytes(b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def _count_loads(self) -> int:
        return sum(event.get("method") == "Page.loadEventFired" for event in self.events)

    def _next_message(self) -> Json:
        while b"\0" not in self._unread:
            received = os.read(self._from, 1 << 20)
            assert received, "Chromium has ended"
            self._unread += received
        message, _, self._unread = self._unread.partition(b"\0")
        found: Json = json.loads(message)
        return found


@contextmanager
def start_chromium(program: str, profile: Path) -> Iterator[Browser]:
    """Yield a running browser with a profile of its own, and end it with all its processes."""
    commands_read, commands_write = _high_pipe()
    answers_read, answers_write = _high_pipe()
    process = subprocess.Popen(
        # The shell moves the ends of the pipes to where Chromium looks for them.
        [
            "bash",
            "-c",
            f'exec "$0" "$@" 3<&{commands_read} 4>&{answers_write}',
            program,
            *_SWITCHES,
            f"--user-data-dir={profile}",
        ],
        pass_fds=(commands_read, answers_write),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        env={"PATH": "/usr/bin:/bin", "HOME": str(profile)},
    )
    os.close(commands_read)
    os.close(answers_write)
    try:
        yield Browser(commands_write, answers_read)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        os.close(commands_write)
        os.close(answers_read)


def _high_pipe() -> tuple[int, int]:
    """Return both ends of a pipe, far from the numbers that Chromium wants."""
    ends = os.pipe()
    high = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 20) for end in ends]
    for end in ends:
        os.close(end)
    return high[0], high[1]
