"""Load a model from S3 into a folder before its server starts: what SageMaker does for a container, on EKS and ECS.

It runs in a container that ends before that of the model starts: Python 3.9 or newer, the standard library alone, no proxy. It
reads MODEL_URI, MODEL_DIRECTORY, MODEL_COMPRESSION (gzip, none) and AWS_REGION. Parts of objects come four at once, each tried
again by itself; some ten are in memory (160 MiB). The folder is a volume, which nobody can rename: ``.complete`` comes last,
and without that file a new run first removes what is there. Tests ran it, on loopback; no kubelet, agent of AWS or S3 of AWS did.
"""

from __future__ import annotations

import calendar
import errno
import gzip
import hashlib
import hmac
import json
import os
import random
import re
import shutil
import signal
import sys
import tarfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urlsplit
from xml.etree import ElementTree

PART, THREADS, WINDOW, ATTEMPTS, TIMEOUT_S = 16 * 1024**2, 4, 8, 7, 30
#: https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html
AGENT_OF_ECS = "169.254.170.2"
AGENTS = {AGENT_OF_ECS, "169.254.170.23", "fd00:ec2::23", "127.0.0.1", "::1", "localhost"}
EMPTY = hashlib.sha256(b"").hexdigest()
Keys = tuple[str, str, str]
_held: dict[str, Any] = {"expires": 0.0, "lock": threading.Lock()}


def _answer(url: str, headers: Callable[[], dict[str, str]], what: str) -> tuple[bytes, Any]:
    """Return body and headers of an answer; what may pass is tried again."""
    (scheme, host), status = urlsplit(url)[:2], 0
    for attempt in range(ATTEMPTS):
        time.sleep(attempt and min(2**attempt, 20) * random.uniform(0.2, 0.4))
        connection = (HTTPSConnection if scheme == "https" else HTTPConnection)(host, timeout=TIMEOUT_S)
        try:
            connection.request("GET", url[len(f"{scheme}://{host}") :], headers=headers())
            answer = connection.getresponse()
            body, status = answer.read(), answer.status
        except (OSError, HTTPException) as error:
            trouble, status = f"the connection broke ({error or type(error).__name__})", 0
            continue
        finally:
            connection.close()
        if status in (200, 206):
            return body, answer.headers
        code = (re.findall(r"<Code>(\w+)", body.decode(errors="replace")) or ["no code"])[0]
        trouble = f"the service answers {status} ({code})"
        _held["expires"] *= code != "ExpiredToken"  # then the credentials are asked for anew
        if status < 500 and status != 429 and code not in ("ExpiredToken", "RequestTimeout"):
            break
    if status == 403:
        needs = "s3:GetObject, kms:Decrypt where a KMS key encrypts it, and s3:ListBucket for a prefix"
        raise SystemExit(f"No permission to read {what} ({code}): the role of the pod needs {needs}.")
    raise SystemExit(f"{what} {'was not found' if status == 404 else 'cannot be read'}: {trouble}.")


def _credentials() -> Keys:
    """Return access key, secret and session token; those of an agent are renewed before they expire."""
    path = os.environ.get("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI")
    uri = f"http://{AGENT_OF_ECS}{path}" if path else os.environ.get("AWS_CONTAINER_CREDENTIALS_FULL_URI")
    if not uri:
        key, secret = os.environ.get("AWS_ACCESS_KEY_ID"), os.environ.get("AWS_SECRET_ACCESS_KEY")
        if not (key and secret):
            raise SystemExit("No credentials: the pod or the task has no role.")
        return key, secret, os.environ.get("AWS_SESSION_TOKEN", "")
    if urlsplit(uri).hostname not in AGENTS:
        raise SystemExit(f"AWS_CONTAINER_CREDENTIALS_FULL_URI is not the agent of AWS: {uri}.")
    token = os.environ.get("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE")
    with _held["lock"]:
        if time.time() > _held["expires"] - 300:
            answer = _answer(
                uri,
                lambda: {"authorization": Path(token).read_text().strip()} if token else {},
                "The credential",
            )[0]
            _held.update(json.loads(answer))
            _held["expires"] = calendar.timegm(time.strptime(_held["Expiration"][:19], "%Y-%m-%dT%H:%M:%S"))
        return _held["AccessKeyId"], _held["SecretAccessKey"], _held["Token"]


def _authorization(token_file: str | None) -> dict[str, str]:
    return {"authorization": Path(token_file).read_text().strip()} if token_file else {}


def signed(url: str, headers: dict[str, str], keys: Keys, region: str, now: float) -> dict[str, str]:
    """Return the headers of a GET request with its Signature Version 4; the URL is canonical already."""
    parts, date = urlsplit(url), time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now))
    headers = {**headers, "host": parts.netloc, "x-amz-content-sha256": EMPTY, "x-amz-date": date}
    headers.update({"x-amz-security-token": keys[2]} if keys[2] else {})
    names, scope = ";".join(sorted(headers)), f"{date[:8]}/{region}/s3/aws4_request"
    lines = [f"{name}:{headers[name]}" for name in sorted(headers)]
    canonical = "\n".join(["GET", parts.path, parts.query, *lines, "", names, EMPTY])
    digest, key = hashlib.sha256(canonical.encode()).hexdigest(), f"AWS4{keys[1]}".encode()
    for word in (*scope.split("/"), f"AWS4-HMAC-SHA256\n{date}\n{scope}\n{digest}"):
        key = hmac.new(key, word.encode(), hashlib.sha256).digest()
    credential = f"Credential={keys[0]}/{scope}, SignedHeaders={names}, Signature={key.hex()}"
    return {**headers, "authorization": f"AWS4-HMAC-SHA256 {credential}"}


def _get(bucket: str, key: str, query: dict[str, str], **headers: str) -> tuple[bytes, Any]:
    region = os.environ["AWS_REGION"]
    domain = f"https://s3.{region}.amazonaws.com" + (".cn" if region.startswith("cn-") else "")
    # The bucket stands in the path: no certificate of S3 covers a host with a dot in the name of the bucket.
    url = f"{os.environ.get('S3_ENDPOINT') or domain}/{bucket}/{quote(key, safe='/')}"
    url += f"?{urlencode(sorted(query.items()), quote_via=quote, safe='')}" if query else ""
    what = f"s3://{bucket}/{key or query['prefix']}"
    return _answer(url, lambda: signed(url, headers, _credentials(), region, time.time()), what)


def _objects(bucket: str, key: str) -> Iterator[tuple[str, int, str]]:
    if not key.endswith("/"):
        headers = _get(bucket, key, {}, range="bytes=0-0")[1]
        yield key, int(headers["Content-Range"].rpartition("/")[2]), headers["ETag"]
    query = {"list-type": "2", "prefix": key}
    while key.endswith("/") and query.get("continuation-token") != "":
        page = ElementTree.fromstring(_get(bucket, "", query)[0])
        for found in page.iterfind("{*}Contents"):
            name, size, etag = (found.findtext("{*}" + field, "") for field in ("Key", "Size", "ETag"))
            yield name, int(size), etag
        query["continuation-token"] = page.findtext("{*}NextContinuationToken", "")


def _contents(bucket: str, objects: list[tuple[str, int, str]]) -> Iterator[tuple[str, bytes]]:
    """Yield the parts of objects in order, each with its key, while the next ones are on their way."""
    began, read, room = time.monotonic(), 0, threading.Semaphore(WINDOW)
    parts = [(key, start, size, etag) for key, size, etag in objects for start in range(0, size or 1, PART)]

    def fetch(part: tuple[str, int, int, str]) -> bytes:
        key, start, size, etag = part
        room.acquire()
        span = {"range": f"bytes={start}-{min(start + PART, size) - 1}", "if-match": etag}
        return _get(bucket, key, {}, **span)[0] if size else b""

    for number, body in enumerate(ThreadPoolExecutor(THREADS).map(fetch, parts), 1):
        yield parts[number - 1][0], body
        room.release()
        read, seconds = read + len(body), max(time.monotonic() - began, 0.001)
        if number & (number - 1) == 0 or number == len(parts):  # seldom: at 1, 2, 4, 8 parts
            print(f"{seconds:.1f} s: {read / 2**30:.2f} GiB, {read / 2**20 / seconds:.0f} MiB/s", flush=True)


class _Stream:
    def __init__(self, contents: Iterator[tuple[str, bytes]]) -> None:
        self._contents, self._rest = contents, memoryview(b"")

    def read(self, size: int) -> bytes:
        self._rest = self._rest or memoryview(next(self._contents, ("", b""))[1])
        found, self._rest = bytes(self._rest[:size]), self._rest[size:]
        return found


def _inside(folder: Path, name: str, what: str) -> Path:
    path, root = (folder / name).resolve(), folder.resolve()
    if os.path.isabs(name) or root not in (path, *path.parents):
        raise SystemExit(f"{what} leads out of the folder of the model.")
    return path


def _unpack(contents: Iterator[tuple[str, bytes]], folder: Path) -> None:
    plain: Any = gzip.GzipFile(fileobj=_Stream(contents), mode="rb")  # type: ignore[call-overload]
    with tarfile.open(fileobj=plain, mode="r|", bufsize=1024**2) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        for member in archive:
            what = f"The member {member.name} of the archive"
            _inside(folder, member.name, what)
            if member.issym() or member.islnk():
                beside = os.path.dirname(member.name) if member.issym() else ""
                _inside(folder, os.path.join(beside, member.linkname), what)
            elif not (member.isfile() or member.isdir()):
                raise SystemExit(f"{what} is neither a file, a folder nor a link.")
            member.mode = member.mode & 0o755 | (0o755 if member.isdir() else 0o644)  # for any user
            member.uid, member.gid, member.uname, member.gname = os.getuid(), os.getgid(), "", ""
            archive.extract(member, folder)
    while plain.read(1024**2):  # to the checksum at the end
        pass


def _load(uri: str, compression: str, folder: Path) -> None:
    bucket, _, key = uri[5:].partition("/")
    legal = bucket and key and compression in (("none",) if key.endswith("/") else ("none", "gzip"))
    if not (legal and uri.startswith("s3://") and os.environ.get("AWS_REGION")):
        raise SystemExit(f"AWS_REGION, MODEL_URI ({uri}) or MODEL_COMPRESSION ({compression}) is not right.")
    marker = folder / ".complete"
    if marker.exists() and marker.read_text() == uri:
        print("The model is there already.", flush=True)
        return
    folder.mkdir(parents=True, exist_ok=True)
    for left in set(folder.iterdir()) - {folder / "lost+found"}:  # which the file system needs
        shutil.rmtree(left) if left.is_dir() and not left.is_symlink() else left.unlink()
    objects = [found for found in _objects(bucket, key) if not found[0].endswith("/")]
    if not objects:
        raise SystemExit(f"There is nothing under {uri}.")
    if compression == "gzip":
        _unpack(_contents(bucket, objects), folder)
    for name, body in _contents(bucket, objects if compression == "none" else []):
        path = _inside(folder, name[key.rfind("/") + 1 :], f"The key {name}")
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as file:
            file.write(body)
    marker.write_text(uri)


if __name__ == "__main__":
    # The first process of a container hears SIGTERM only by a handler; threads that still load must not hold it.
    signal.signal(signal.SIGTERM, lambda *_: os._exit(143))
    os.umask(0o022)
    model, directory = os.environ.get("MODEL_URI", ""), os.environ.get("MODEL_DIRECTORY", "/opt/ml/model")
    try:
        _load(model, os.environ.get("MODEL_COMPRESSION", ""), Path(directory))
    except (Exception, SystemExit) as failure:
        sentence = str(failure) if isinstance(failure, SystemExit) else f"{model} is damaged: {failure!r}."
        if getattr(failure, "errno", None) in (errno.ENOSPC, errno.EDQUOT):
            sentence = f"The disk is full: the volume of {directory} must be larger."
        print(sentence, file=sys.stderr, flush=True)
        os._exit(1)
    os._exit(0)
