"""A small S3 on loopback that believes no signature: botocore, which the script does not use, computes each one again."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import md5
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any, ClassVar
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

REGION, BUCKET = "eu-central-1", "models"
STATIC = Credentials("AKIDEXAMPLE", "the/secret+key")


class QuietServer(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that was killed is no news."""


@contextmanager
def served(server: QuietServer) -> Iterator[None]:
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@dataclass
class Asked:
    """A request for an object or a listing."""

    path: str
    range: str | None
    token: str | None


@dataclass
class Store:
    """The objects of one bucket, and what shall go wrong."""

    objects: dict[str, bytes] = field(default_factory=dict)
    credentials: list[Credentials] = field(default_factory=lambda: [STATIC])
    asked: list[Asked] = field(default_factory=list)
    #: Called with each request for an object; what it returns is answered in place of the object.
    trouble: Callable[["Store", Asked], tuple[int, str] | str | None] = lambda store, asked: None
    page_size: int = 1000
    lock: Lock = field(default_factory=Lock)

    @property
    def ranges(self) -> list[str | None]:
        return [asked.range for asked in self.asked]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    store: ClassVar[Store]

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        asked = Asked(self.path, self.headers["range"], self.headers["x-amz-security-token"])
        with self.store.lock:
            self.store.asked.append(asked)
        if not any(self._signed_by(known) for known in self.store.credentials):
            self._error(403, "SignatureDoesNotMatch")
        elif url.path == f"/{BUCKET}/" and "list-type=2" in url.query:
            self._listing(parse_qs(url.query))
        else:
            self._object(unquote(url.path.removeprefix(f"/{BUCKET}/")), asked)

    def _signed_by(self, known: Credentials) -> bool:
        found = re.fullmatch(
            r"AWS4-HMAC-SHA256 Credential=(\S+), SignedHeaders=(\S+), Signature=(\S+)",
            self.headers["authorization"],
        )
        assert found is not None
        request = AWSRequest(
            "GET",
            f"http://{self.headers['host']}{self.path}",
            headers={name: self.headers[name] for name in found[2].split(";")},
        )
        request.context["timestamp"] = self.headers["x-amz-date"]
        witness = S3SigV4Auth(known, "s3", REGION)
        signature = witness.signature(
            witness.string_to_sign(request, witness.canonical_request(request)), request
        )
        must_sign = {"host", "x-amz-date", "x-amz-content-sha256"} | (
            {"x-amz-security-token"} if known.token else set()
        )
        return (
            must_sign <= set(found[2].split(";"))
            and found[1] == witness.scope(request)
            and found[3] == signature
            and self.headers["x-amz-security-token"] == known.token
        )

    def _listing(self, query: dict[str, list[str]]) -> None:
        start = int(query.get("continuation-token", ["token 0"])[0].removeprefix("token "))
        keys = sorted(key for key in self.store.objects if key.startswith(query["prefix"][0]))
        page, more = keys[start : start + self.store.page_size], start + self.store.page_size < len(keys)
        entries = "".join(
            f"<Contents><Key>{escape(key)}</Key><ETag>{escape(etag(self.store.objects[key]))}</ETag>"
            f"<Size>{len(self.store.objects[key])}</Size></Contents>"
            for key in page
        )
        token = (
            f"<NextContinuationToken>token {start + self.store.page_size}</NextContinuationToken>"
            if more
            else ""
        )
        self._answer(
            200,
            f'<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">{entries}{token}</ListBucketResult>'.encode(),
        )

    def _object(self, key: str, asked: Asked) -> None:
        trouble = self.store.trouble(self.store, asked)
        if isinstance(trouble, tuple):
            self._error(*trouble)
        elif key not in self.store.objects:
            self._error(404, "NoSuchKey")
        elif self.headers["if-match"] not in (None, etag(self.store.objects[key])):
            self._error(412, "PreconditionFailed")
        else:
            self._part(self.store.objects[key], broken=trouble == "break")

    def _part(self, whole: bytes, broken: bool) -> None:
        first, last = (
            int(place) for place in (self.headers["range"] or f"bytes=0-{len(whole)}")[6:].split("-")
        )
        part = whole[first : last + 1]
        if not part:
            self._error(416, "InvalidRange")
            return
        place = f"bytes {first}-{first + len(part) - 1}/{len(whole)}"
        self._answer(
            206, part, {"Content-Range": place, "ETag": etag(whole)}, sent=len(part) // 2 if broken else None
        )

    def _error(self, status: int, code: str) -> None:
        self._answer(status, f"<Error><Code>{code}</Code><Message>no</Message></Error>".encode())

    def _answer(
        self, status: int, body: bytes, headers: dict[str, str] | None = None, sent: int | None = None
    ) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body[:sent])
        self.close_connection = True

    def log_message(self, *_: Any) -> None:
        pass


def etag(content: bytes) -> str:
    return f'"{md5(content, usedforsecurity=False).hexdigest()}"'


@contextmanager
def small_s3() -> Iterator[tuple[Store, str]]:
    """Yield the store, and the endpoint at which it is served."""
    store = Store()
    server = QuietServer(("127.0.0.1", 0), type("BoundHandler", (Handler,), {"store": store}))
    with served(server):
        yield store, f"http://127.0.0.1:{server.server_port}"
