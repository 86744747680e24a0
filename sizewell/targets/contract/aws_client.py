"""A client of AWS for the programs of this folder: Python 3.9 or newer, the standard library alone, no proxy.

It takes the credentials of EKS Pod Identity, of an ECS task or of the environment, signs each request (Signature Version 4), and
tries again what may pass. Tests ran it, on loopback; no agent of AWS, S3, SQS or SNS did.
"""

from __future__ import annotations

import calendar
import errno
import hashlib
import hmac
import json
import os
import random
import re
import shutil
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urlsplit
from xml.etree import ElementTree

PART, ATTEMPTS, TIMEOUT_S = 16 * 1024**2, 7, 30
#: What may pass, whatever the status; the JSON protocol answers 400.
PASSING_CODES = re.compile("ExpiredToken|RequestTimeout|RequestThrottled|Throttling")
#: https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html
AGENT_OF_ECS = "169.254.170.2"
AGENTS = {AGENT_OF_ECS, "169.254.170.23", "fd00:ec2::23", "127.0.0.1", "::1", "localhost"}
Keys = tuple[str, str, str]
#: What is done, its participle, and what a role needs for it.
Right = tuple[str, str, str]
READ = (
    "read",
    "read",
    "s3:GetObject, kms:Decrypt where a KMS key encrypts it, and s3:ListBucket for a prefix",
)
WRITE = (
    "write",
    "written",
    "s3:PutObject, s3:AbortMultipartUpload, s3:DeleteObject, and kms:GenerateDataKey and kms:Decrypt with a KMS key",
)
_held: dict[str, Any] = {"expires": 0.0, "lock": threading.Lock()}


class ProgramError(Exception):
    """Why a program cannot go on: one sentence, and the status of an answer that says so."""

    def __init__(self, sentence: str, status: int = 0) -> None:
        super().__init__(sentence)
        self.status = status


def _answer(
    method: str, url: str, what: str, right: Right, headers: Callable[[], dict[str, str]], body: bytes = b""
) -> tuple[bytes, Any]:
    """Return body and headers of an answer; what may pass is tried again."""
    (scheme, host), status, code = urlsplit(url)[:2], 0, ""
    for attempt in range(ATTEMPTS):
        time.sleep(attempt and min(2**attempt, 20) * random.uniform(0.2, 0.4))
        connection = (HTTPSConnection if scheme == "https" else HTTPConnection)(host, timeout=TIMEOUT_S)
        try:
            connection.request(method, url[len(f"{scheme}://{host}") :], body or None, headers())
            answer = connection.getresponse()
            content, status = answer.read(), answer.status
        except (OSError, HTTPException) as error:
            trouble, status = f"the connection broke ({error or type(error).__name__})", 0
            continue
        finally:
            connection.close()
        # S3 may say 200 and then fail: https://docs.aws.amazon.com/AmazonS3/latest/API/API_CompleteMultipartUpload.html
        if 200 <= status < 300 and not (method == "POST" and b"<Error>" in content):
            return content, answer.headers
        found = re.search(r'<Code>(\w+)|"__type": ?"[^"]*?(\w+)"', content.decode(errors="replace"))
        code = (found[1] or found[2]) if found else "no code"
        trouble = f"the service answers {status} ({code})"
        _held["expires"] *= not code.startswith("ExpiredToken")  # then the credentials are asked for anew
        if 300 <= status < 500 and status != 429 and not PASSING_CODES.match(code):
            break
    to, participle, needs = right
    if status == 403 or code.startswith("AccessDenied"):
        raise ProgramError(
            f"No permission to {to} {what} ({code}): the role of the pod needs {needs}.", status
        )
    cannot = "was not found" if status == 404 else f"cannot be {participle}"
    raise ProgramError(f"{what} {cannot}: {trouble}.", status)


def _credentials() -> Keys:
    """Return access key, secret and session token; those of an agent are renewed before they expire."""
    path = os.environ.get("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI")
    uri = f"http://{AGENT_OF_ECS}{path}" if path else os.environ.get("AWS_CONTAINER_CREDENTIALS_FULL_URI")
    if not uri:
        key, secret = os.environ.get("AWS_ACCESS_KEY_ID"), os.environ.get("AWS_SECRET_ACCESS_KEY")
        if not (key and secret):
            raise ProgramError("No credentials: the pod or the task has no role.")
        return key, secret, os.environ.get("AWS_SESSION_TOKEN", "")
    if urlsplit(uri).hostname not in AGENTS:
        raise ProgramError(f"AWS_CONTAINER_CREDENTIALS_FULL_URI is not the agent of AWS: {uri}.")
    token = os.environ.get("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE")
    with _held["lock"]:
        if time.time() > _held["expires"] - 300:
            known = (lambda: {"authorization": Path(token).read_text().strip()}) if token else dict
            _held.update(json.loads(_answer("GET", uri, "The credential", READ, known)[0]))
            _held["expires"] = calendar.timegm(time.strptime(_held["Expiration"][:19], "%Y-%m-%dT%H:%M:%S"))
        return _held["AccessKeyId"], _held["SecretAccessKey"], _held["Token"]


def signed(
    method: str, url: str, headers: dict[str, str], body: bytes, service: str, keys: Keys, now: float
) -> dict[str, str]:
    """Return the headers of a request with its Signature Version 4; the URL is canonical already."""
    parts, date = urlsplit(url), time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now))
    content = hashlib.sha256(body).hexdigest()
    headers = {**headers, "host": parts.netloc, "x-amz-content-sha256": content, "x-amz-date": date}
    headers.update({"x-amz-security-token": keys[2]} if keys[2] else {})
    names, scope = ";".join(sorted(headers)), f"{date[:8]}/{os.environ['AWS_REGION']}/{service}/aws4_request"
    lines = [f"{name}:{headers[name]}" for name in sorted(headers)]
    canonical = "\n".join([method, parts.path, parts.query, *lines, "", names, content])
    digest, key = hashlib.sha256(canonical.encode()).hexdigest(), f"AWS4{keys[1]}".encode()
    for word in (*scope.split("/"), f"AWS4-HMAC-SHA256\n{date}\n{scope}\n{digest}"):
        key = hmac.new(key, word.encode(), hashlib.sha256).digest()
    credential = f"Credential={keys[0]}/{scope}, SignedHeaders={names}, Signature={key.hex()}"
    return {**headers, "authorization": f"AWS4-HMAC-SHA256 {credential}"}


def call(
    method: str, service: str, url: str, what: str, right: Right, headers: dict[str, str], body: bytes = b""
) -> tuple[bytes, Any]:
    """Send a signed request; return body and headers of its answer."""

    def sign() -> dict[str, str]:
        return signed(method, url, headers, body, service, _credentials(), time.time())

    return _answer(method, url, what, right, sign, body)


def endpoint(service: str) -> str:
    """Return the address of a service in the region."""
    region = os.environ["AWS_REGION"]
    domain = f"{service}.{region}.amazonaws.com" + (".cn" if region.startswith("cn-") else "")
    # https://docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html
    return os.environ.get(f"AWS_ENDPOINT_URL_{service.upper()}") or f"https://{domain}"


def s3(
    method: str,
    bucket: str,
    key: str,
    query: dict[str, str],
    body: bytes = b"",
    headers: dict[str, str] | None = None,
) -> tuple[bytes, Any]:
    """Send a request to S3."""
    # The bucket stands in the path: no certificate of S3 covers a host with a dot in the name of the bucket.
    url = f"{endpoint('s3')}/{bucket}/{quote(key, safe='/')}"
    url += f"?{urlencode(sorted(query.items()), quote_via=quote, safe='')}" if query else ""
    what, right = f"s3://{bucket}/{key or query['prefix']}", READ if method == "GET" else WRITE
    return call(method, "s3", url, what, right, headers or {}, body)


def split(uri: str) -> tuple[str, str]:
    """Return the bucket and the prefix of a location."""
    bucket, _, key = uri[5:].partition("/")
    if not (uri.startswith("s3://") and bucket and key.endswith("/")):
        raise ProgramError(f"{uri} is no prefix of S3: write s3://BUCKET/PREFIX/.")
    return bucket, key


def objects(bucket: str, key: str) -> Iterator[tuple[str, int, str]]:
    """Yield key, size and ETag of one object, or of those under a prefix, which ends in a slash."""
    if not key.endswith("/"):
        headers = s3("GET", bucket, key, {}, headers={"range": "bytes=0-0"})[1]
        yield key, int(headers["Content-Range"].rpartition("/")[2]), headers["ETag"]
    query = {"list-type": "2", "prefix": key}
    while key.endswith("/") and query.get("continuation-token") != "":
        page = ElementTree.fromstring(s3("GET", bucket, "", query)[0])
        for found in page.iterfind("{*}Contents"):
            name, size, etag = (found.findtext("{*}" + field, "") for field in ("Key", "Size", "ETag"))
            yield name, int(size), etag
        query["continuation-token"] = page.findtext("{*}NextContinuationToken", "")


def contents(
    bucket: str, found: Iterable[tuple[str, int, str]], threads: int = 4, part_bytes: int = PART
) -> Iterator[tuple[str, bytes]]:
    """Yield the parts of objects in order, each with its key, while the next ones are on their way."""
    coming, pool = deque[tuple[str, Future[bytes]]](), ThreadPoolExecutor(threads)

    def fetch(key: str, start: int, size: int, etag: str) -> bytes:
        span = {"range": f"bytes={start}-{min(start + part_bytes, size) - 1}", "if-match": etag}
        return s3("GET", bucket, key, {}, headers=span)[0] if size else b""

    parts = (
        (key, start, size, etag) for key, size, etag in found for start in range(0, size or 1, part_bytes)
    )
    try:
        while True:
            more = islice(parts, 2 * threads - len(coming))
            coming.extend((part[0], pool.submit(fetch, *part)) for part in more)
            if not coming:
                return
            key, body = coming.popleft()
            yield key, body.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def reported(parts: Iterable[tuple[str, bytes]]) -> Iterator[tuple[str, bytes]]:
    """Yield the same parts, and say how fast they come: seldom, at 1, 2, 4, 8 parts, and at the end."""
    began, read, number = time.monotonic(), 0, 0

    def report() -> None:
        seconds = max(time.monotonic() - began, 0.001)
        print(f"{seconds:.1f} s: {read / 2**30:.2f} GiB, {read / 2**20 / seconds:.0f} MiB/s", flush=True)

    for key, body in parts:
        yield key, body
        number, read = number + 1, read + len(body)
        if number & (number - 1) == 0:
            report()
    if number & (number - 1):
        report()


class Stream:
    """Parts that follow each other, as a file to read from."""

    def __init__(self, parts: Iterator[bytes]) -> None:
        self._parts, self._rest = parts, memoryview(b"")

    def read(self, size: int) -> bytes:
        """Return at most so many bytes; none at the end."""
        self._rest = self._rest or memoryview(next(self._parts, b""))
        found, self._rest = bytes(self._rest[:size]), self._rest[size:]
        return found


def inside(folder: Path, name: str, what: str) -> Path:
    """Return the path of a name in a folder, and never another one."""
    path, root = (folder / name).resolve(), folder.resolve()
    if os.path.isabs(name) or root not in (path, *path.parents):
        raise ProgramError(f"{what} leads out of its folder.")
    return path


def download(
    bucket: str,
    found: Iterable[tuple[str, int, str]],
    folder: Path,
    name: Callable[[str], str],
    threads: int = 4,
) -> int:
    """Load objects as files, whose names follow from the keys; return how many there were."""
    count = 0

    def files() -> Iterator[tuple[str, int, str]]:
        nonlocal count
        for one in found:
            if not one[0].endswith("/"):  # what consoles show as a folder
                count += 1
                yield one

    for key, body in reported(contents(bucket, files(), threads)):
        path = inside(folder, name(key), f"The key {key}")
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as file:
            file.write(body)
    return count


class Upload:
    """An object that is written from its beginning to its end: what is long goes in parts, some of them at once."""

    def __init__(
        self,
        bucket: str,
        key: str,
        threads: int = 8,
        part_bytes: int = PART,
        headers: dict[str, str] | None = None,
    ) -> None:
        self._bucket, self._key, self._headers, self._id, self._rest = bucket, key, headers, "", bytearray()
        self._threads, self._part_bytes, self._pool = threads, part_bytes, ThreadPoolExecutor(threads)
        self._parts: list[Future[str]] = []

    def __enter__(self) -> Upload:
        return self

    def write(self, content: bytes) -> int:
        """Take more of the content; wait while too much is on its way."""
        self._rest += content
        # 10,000 parts of a growing size hold 860 GiB: https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html
        while len(self._rest) >= (size := self._part_bytes * (1 + len(self._parts) // 1000)):
            self._send(size)
        return len(content)

    def begin(self) -> None:
        """Begin to send parts: whoever may not write the object hears of it."""
        answer = s3("POST", self._bucket, self._key, {"uploads": ""}, headers=self._headers)[0]
        self._id = ElementTree.fromstring(answer).findtext("{*}UploadId", "")

    def abort(self) -> None:
        """Remove the parts, which cost money until then."""
        if self._id:
            s3("DELETE", self._bucket, self._key, {"uploadId": self._id})

    def _send(self, size: int) -> None:
        if not self._id:
            self.begin()
        body, number = bytes(self._rest[:size]), len(self._parts) + 1
        del self._rest[:size]
        if number > 2 * self._threads:
            self._parts[-2 * self._threads].result()
        self._parts.append(self._pool.submit(self._put, number, body))

    def _put(self, number: int, body: bytes) -> str:
        query = {"partNumber": str(number), "uploadId": self._id}
        return str(s3("PUT", self._bucket, self._key, query, body)[1]["ETag"])

    def __exit__(self, kind: object, *_: object) -> None:
        done = False
        try:
            if kind is None:
                self._finish()
                done = True
        finally:
            self._pool.shutdown(cancel_futures=not done)
            if not done:
                with suppress(ProgramError):
                    self.abort()

    def _finish(self) -> None:
        if not self._id:
            s3("PUT", self._bucket, self._key, {}, bytes(self._rest), self._headers)
            return
        if self._rest:
            self._send(len(self._rest))
        parts = "".join(
            f"<Part><PartNumber>{number}</PartNumber><ETag>{part.result()}</ETag></Part>"
            for number, part in enumerate(self._parts, 1)
        )
        body = f'<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">{parts}</CompleteMultipartUpload>'
        s3("POST", self._bucket, self._key, {"uploadId": self._id}, body.encode())


def require(names: str) -> None:
    """Check that there are all the variables that a program reads."""
    if missing := sorted(set(names.split()) - os.environ.keys()):
        raise ProgramError(f"Variables are missing: {', '.join(missing)}.")


def empty(folder: Path) -> None:
    """Make a folder, or remove what is in it."""
    folder.mkdir(parents=True, exist_ok=True)
    for left in set(folder.iterdir()) - {folder / "lost+found"}:  # which the file system needs
        shutil.rmtree(left) if left.is_dir() and not left.is_symlink() else left.unlink()


def reason(failure: Exception, folder: object, otherwise: str) -> str:
    """Return the sentence that says why a program ends."""
    if isinstance(failure, ProgramError):
        return str(failure)
    if getattr(failure, "errno", None) in (errno.ENOSPC, errno.EDQUOT):
        return f"The disk is full: the volume of {folder} must be larger."
    return f"{otherwise}: {failure!r}."
