"""A proxy on loopback between a command and an emulated AWS: it passes every request on, and spoils those that it is told to."""

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

LOOPBACK = "127.0.0.1"
#: What AWS answers: the status, and the code by which clients know it. Throttled calls and errors of the server are tried again:
#: https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html
ERRORS = {
    "throttled": (400, "ThrottlingException"),
    "failed": (500, "InternalFailure"),
    "denied": (400, "AccessDeniedException"),
    "expired": (400, "ExpiredTokenException"),
}
#: Beside errors: an answer that comes late, one that is cut off, and one that never comes, although the call took effect.
KINDS = (*ERRORS, "slow", "cut", "lost")
SLOW_S = 3.0
_OWN_HEADERS = frozenset({"connection", "content-length", "host", "transfer-encoding"})


@dataclass(frozen=True)
class Fault:
    """What happens to requests, the first one being 1: from ``first`` on to ``count`` of them."""

    kind: str
    first: int
    count: int = 1

    def strikes(self, number: int) -> bool:
        """Return whether it happens to a request."""
        return self.first <= number < self.first + self.count


@dataclass
class FaultyProxy:
    """The proxy, while it runs; ``when`` is called with the number of each request before that is passed on."""

    upstream_port: int
    fault: Fault | None = None
    when: Callable[[int], None] = lambda _: None
    operations: list[str] = field(default_factory=list)
    """Of the requests since the last ``begin``, in the order in which they came."""
    port: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def begin(self, fault: Fault | None = None, when: Callable[[int], None] = lambda _: None) -> None:
        """Forget what was before, and order a fault."""
        with self._lock:
            self.operations, self.fault, self.when = [], fault, when

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://{LOOPBACK}:{self.port}"

    def number(self, operation: str) -> int:
        """Note a request, and return its number."""
        with self._lock:
            self.operations.append(operation)
            return len(self.operations)


@contextmanager
def faulty_proxy(upstream_port: int) -> Iterator[FaultyProxy]:
    """Start a proxy on a free port, and end it."""
    proxy = FaultyProxy(upstream_port)

    class Handler(_Handler):
        faulty = proxy

    server = _Server((LOOPBACK, 0), Handler)
    proxy.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield proxy
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: Any) -> None:
        """Say nothing of a client that is gone: commands are killed on purpose."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    faulty: FaultyProxy

    def _pass_on(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        number = self.faulty.number(_operation(self.command, self.path, dict(self.headers), body))
        self.faulty.when(number)
        fault = self.faulty.fault
        kind = fault.kind if fault is not None and fault.strikes(number) else None
        if kind in ERRORS:
            self._answer(*_error(kind, dict(self.headers)))
            return
        if kind == "cut":
            self.close_connection = True
            return
        if kind == "slow":
            time.sleep(SLOW_S)
        answer = self._upstream(body)
        if kind == "lost":
            self.close_connection = True
            return
        self._answer(*answer)

    def _upstream(self, body: bytes) -> tuple[int, dict[str, str], bytes]:
        connection = HTTPConnection(LOOPBACK, self.faulty.upstream_port, timeout=120)
        try:
            headers = {
                name: value for name, value in self.headers.items() if name.lower() not in _OWN_HEADERS
            }
            connection.request(self.command, self.path, body=body or None, headers=headers)
            response = connection.getresponse()
            return response.status, dict(response.getheaders()), response.read()
        finally:
            connection.close()

    def _answer(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.send_response_only(status)
        for name, value in headers.items():
            if name.lower() not in _OWN_HEADERS:
                self.send_header(name, value)
        # The answer to HEAD states the length of what it does not send.
        length = headers.get("Content-Length") or headers.get("content-length") or "0"
        self.send_header("Content-Length", length if self.command == "HEAD" else str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


for _method in ("GET", "PUT", "POST", "DELETE", "HEAD", "PATCH"):
    setattr(_Handler, f"do_{_method}", _Handler._pass_on)


def _operation(method: str, path: str, headers: dict[str, str], body: bytes) -> str:
    target = next((value for name, value in headers.items() if name.lower() == "x-amz-target"), None)
    if target:
        return target.rpartition(".")[2]
    form = parse_qs(body.decode("latin-1")) if body[:200].find(b"Action=") >= 0 else {}
    return form["Action"][0] if "Action" in form else f"{method} {urlsplit(path).path}"


def _error(kind: str, headers: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
    """Return an error in the form that clients of the service read: JSON, or the XML of older ones."""
    status, code = ERRORS[kind]
    content_type = next((value for name, value in headers.items() if name.lower() == "content-type"), "")
    if "json" in content_type:
        body = json.dumps({"__type": code, "message": f"{kind} on purpose"}).encode()
        return status, {"Content-Type": content_type, "x-amzn-ErrorType": code}, body
    # The query protocol has no "Exception" at the end of a code.
    short = re.sub("Exception$", "", code)
    text = (
        f"<ErrorResponse><Error><Type>Sender</Type><Code>{short}</Code><Message>{kind} on purpose</Message></Error>"
        "<RequestId>0</RequestId></ErrorResponse>"
    )
    return status, {"Content-Type": "text/xml"}, text.encode()
