"""A stand-in for the emulator: a server of the standard library, so that no second environment is needed."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sizewell_localcloud import daemon

STAND_IN = """
import http.server, os, subprocess, sys, threading

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        known = self.headers["X-Amz-Security-Token"] == os.environ["AWS_SESSION_TOKEN"]
        self.send_response((200 if self.path == "/_ministack/health" else 404) if known else 403)
        self.end_headers()
    def do_POST(self):
        print("POST", self.path, flush=True)
        self.send_response(200)
        self.end_headers()
    def log_message(self, *arguments):
        pass

def exit_with_stdin():
    while os.read(0, 4096):
        pass
    os._exit(0)

if os.environ.get("LOCALCLOUD_EXIT_WITH_STDIN") == "1":
    threading.Thread(target=exit_with_stdin, daemon=True).start()
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print("child", child.pid, flush=True)
address = (os.environ["BIND_HOST"], int(os.environ["GATEWAY_PORT"]))
http.server.HTTPServer(address, Handler).serve_forever()
"""


@pytest.fixture
def stand_in(tmp_path: Path) -> tuple[str, ...]:
    """Return the command that starts the stand-in, which has a child as the emulator has Lambda workers."""
    script = tmp_path / "stand_in.py"
    script.write_text(STAND_IN, "utf-8")
    return (sys.executable, str(script))


@pytest.fixture
def directory(tmp_path: Path) -> Iterator[Path]:
    """Return a state directory; what a failed test leaves running ends with it."""
    path = tmp_path / "state"
    path.mkdir()
    daemon.claim(path)
    yield path
    daemon.end(path)
