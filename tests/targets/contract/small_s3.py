"""A small S3 on loopback that believes no signature: botocore, which the programs do not use, computes each one again."""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import md5, sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any, ClassVar
from urllib.parse import parse_qs, unquote, urlsplit
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from botocore.auth import S3SigV4Auth, SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

REGION, BUCKET = "eu-central-1", "models"
STATIC = Credentials("AKIDEXAMPLE", "the/secret+key")
#: https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html: of all parts but the last.
SMALLEST_PART = 5 * 1024**2


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


class SignedHandler(BaseHTTPRequestHandler, ABC):
    """Knows who signed a request, and its body."""

    protocol_version = "HTTP/1.1"
    body: bytes

    def signed_by(self, known: Credentials, service: str) -> bool:
        found = re.fullmatch(
            r"AWS4-HMAC-SHA256 Credential=(\S+), SignedHeaders=(\S+), Signature=(\S+)",
            self.headers["authorization"],
        )
        assert found is not None
        names = set(found[2].split(";"))
        request = AWSRequest(
            self.command,
            f"http://{self.headers['host']}{self.path}",
            headers={name: self.headers[name] for name in names},
        )
        request.context["timestamp"] = self.headers["x-amz-date"]
        witness = (S3SigV4Auth if service == "s3" else SigV4Auth)(known, service, REGION)
        signature = witness.signature(
            witness.string_to_sign(request, witness.canonical_request(request)), request
        )
        must_sign = {"host", "x-amz-date", "x-amz-content-sha256"} | (
            {"x-amz-security-token"} if known.token else set()
        )
        return (
            must_sign <= names
            and found[1] == witness.scope(request)
            and found[3] == signature
            and self.headers["x-amz-security-token"] == known.token
            and self.headers["x-amz-content-sha256"] == sha256(self.body).hexdigest()
        )

    def do_GET(self) -> None:
        self.body = self.rfile.read(int(self.headers["content-length"] or 0))
        self.serve()

    def do_PUT(self) -> None:
        self.do_GET()

    def do_POST(self) -> None:
        self.do_GET()

    def do_DELETE(self) -> None:
        self.do_GET()

    @abstractmethod
    def serve(self) -> None:
        """Answer the request."""

    def answer(
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


@dataclass
class Asked:
    """A request for an object or a listing."""

    path: str
    range: str | None
    token: str | None
    method: str = "GET"


#: A status and a code, a connection that breaks in the middle of an answer, or nothing.
Trouble = tuple[int, str] | str | None


@dataclass
class Store:
    """The objects of one bucket, and what shall go wrong."""

    objects: dict[str, bytes] = field(default_factory=dict)
    #: The parts of each upload that was begun and neither ended nor given up, by its id.
    uploads: dict[str, dict[int, bytes]] = field(default_factory=dict)
    credentials: list[Credentials] = field(default_factory=lambda: [STATIC])
    asked: list[Asked] = field(default_factory=list)
    #: Called with each request for an object; what it returns is answered in place of the object.
    trouble: Callable[["Store", Asked], Trouble] = lambda store, asked: None
    page_size: int = 1000
    lock: Lock = field(default_factory=Lock)

    @property
    def ranges(self) -> list[str | None]:
        return [asked.range for asked in self.asked]

    def under(self, prefix: str) -> dict[str, bytes]:
        """Return the objects under a prefix, by the rest of their keys."""
        with self.lock:
            return {
                key.removeprefix(prefix): content
                for key, content in self.objects.items()
                if key.startswith(prefix)
            }


class Handler(SignedHandler):
    store: ClassVar[Store]

    def serve(self) -> None:
        url = urlsplit(self.path)
        query = parse_qs(url.query, keep_blank_values=True)
        asked = Asked(self.path, self.headers["range"], self.headers["x-amz-security-token"], self.command)
        with self.store.lock:
            self.store.asked.append(asked)
        key = unquote(url.path.removeprefix(f"/{BUCKET}/"))
        if not any(self.signed_by(known, "s3") for known in self.store.credentials):
            self._error(403, "SignatureDoesNotMatch")
        elif not key and query.get("list-type") == ["2"]:
            self._listing(query)
        elif isinstance(trouble := self.store.trouble(self.store, asked), tuple):
            self._error(*trouble)
        elif self.command == "GET":
            self._object(key, broken=trouble == "break")
        else:
            with self.store.lock:
                status, body, headers = self._change(key, {name: value[0] for name, value in query.items()})
            if trouble == "break":  # the change is made, and nobody hears of it
                self.close_connection = True
            else:
                self.answer(status, body, headers)

    def _change(self, key: str, query: dict[str, str]) -> tuple[int, bytes, dict[str, str]]:
        """Change objects or uploads; return the answer."""
        store, upload = self.store, query.get("uploadId", "")
        if upload and upload not in store.uploads:
            return 404, error("NoSuchUpload"), {}
        match self.command, sorted(query):
            case "PUT", []:
                store.objects[key] = self.body
                return 200, b"", {"ETag": etag(self.body)}
            case "DELETE", []:
                store.objects.pop(key, None)
                return 204, b"", {}
            case "POST", ["uploads"]:
                upload = f"{key} {len(store.asked)}"
                store.uploads[upload] = {}
                found = f"<Result xmlns='http://s3.amazonaws.com/doc/2006-03-01/'><UploadId>{escape(upload)}</UploadId></Result>"
                return 200, found.encode(), {}
            case "PUT", ["partNumber", "uploadId"]:
                store.uploads[upload][int(query["partNumber"])] = self.body
                return 200, b"", {"ETag": etag(self.body)}
            case "DELETE", ["uploadId"]:
                del store.uploads[upload]
                return 204, b"", {}
            case "POST", ["uploadId"]:
                return self._complete(key, upload)
        return 400, error("InvalidRequest"), {}

    def _complete(self, key: str, upload: str) -> tuple[int, bytes, dict[str, str]]:
        parts = self.store.uploads[upload]
        named = {
            int(part.findtext("{*}PartNumber", "")): part.findtext("{*}ETag")
            for part in ElementTree.fromstring(self.body).iterfind("{*}Part")
        }
        if list(named) != sorted(parts) or named != {number: etag(part) for number, part in parts.items()}:
            return 400, error("InvalidPart"), {}
        if any(len(parts[number]) < SMALLEST_PART for number in list(named)[:-1]):
            return 400, error("EntityTooSmall"), {}
        self.store.objects[key] = b"".join(parts[number] for number in named)
        del self.store.uploads[upload]
        return 200, b"<CompleteMultipartUploadResult/>", {}

    def _listing(self, query: dict[str, list[str]]) -> None:
        start = int(query.get("continuation-token", ["token 0"])[0].removeprefix("token "))
        with self.store.lock:
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
        self.answer(
            200,
            f'<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">{entries}{token}</ListBucketResult>'.encode(),
        )

    def _object(self, key: str, broken: bool) -> None:
        if key not in self.store.objects:
            self._error(404, "NoSuchKey")
        elif self.headers["if-match"] not in (None, etag(self.store.objects[key])):
            self._error(412, "PreconditionFailed")
        else:
            self._part(self.store.objects[key], broken)

    def _part(self, whole: bytes, broken: bool) -> None:
        first, last = (
            int(place) for place in (self.headers["range"] or f"bytes=0-{len(whole)}")[6:].split("-")
        )
        part = whole[first : last + 1]
        if not part:
            self._error(416, "InvalidRange")
            return
        place = f"bytes {first}-{first + len(part) - 1}/{len(whole)}"
        self.answer(
            206, part, {"Content-Range": place, "ETag": etag(whole)}, sent=len(part) // 2 if broken else None
        )

    def _error(self, status: int, code: str) -> None:
        self.answer(status, error(code))


def error(code: str) -> bytes:
    return f"<Error><Code>{code}</Code><Message>no</Message></Error>".encode()


def etag(content: bytes) -> str:
    return f'"{md5(content, usedforsecurity=False).hexdigest()}"'


@contextmanager
def small_s3() -> Iterator[tuple[Store, str]]:
    """Yield the store, and the endpoint at which it is served."""
    store = Store()
    server = QuietServer(("127.0.0.1", 0), type("BoundHandler", (Handler,), {"store": store}))
    with served(server):
        yield store, f"http://127.0.0.1:{server.server_port}"
