"""Send the objects under a prefix through a model server, and write what it answers: what a batch transform of SageMaker does.

It runs beside the server. DATA_URI and OUTPUT_URI are prefixes of S3 that end in a slash; the answers to ``a/b.csv`` come to
``a/b.csv.out``. COMPRESSION is gzip or none. SPLIT is line or none: a request holds as many lines as MAX_PAYLOAD_MB has room for
(STRATEGY multi-record), one (single-record), or a whole object. CONTENT_TYPE and ACCEPT (may be empty) go with each request,
MAX_CONCURRENCY requests at a time; one that fails is sent RETRIES times more, and has ANSWER_TIMEOUT_S. MODEL_URL and PING_URL
are of the server, which has STARTUP_S to answer. Of SHARDS that share the objects, this is JOB_COMPLETION_INDEX (EKS) or
AWS_BATCH_JOB_ARRAY_INDEX. What an earlier pod of the same run has written is not sent again.

Two objects are in work at a time, so that a small one leaves the model no gap. At most 2 x MAX_CONCURRENCY requests, or their
answers, wait in memory.
"""

from __future__ import annotations

import gzip
import os
import signal
import sys
import time
import zlib
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from http.client import HTTPConnection, HTTPException
from typing import Any
from urllib.parse import urlsplit

from sizewell.targets.contract.aws_client import ProgramError, Stream, Upload, contents, objects, reason

OBJECTS, LARGE_MB = 2, 25
PAUSE_S = 2.0


def unpacked(parts: Iterator[bytes]) -> Iterator[bytes]:
    """Yield what is in a gzip file."""
    with gzip.GzipFile(fileobj=Stream(parts), mode="rb") as plain:  # type: ignore[call-overload]
        yield from iter(lambda: plain.read(1024**2), b"")


def requests(parts: Iterator[bytes], split: str, strategy: str, most_bytes: int) -> Iterator[bytes]:
    """Yield what one request holds after the other; ValueError where a line, or a whole object, is larger than a request."""
    held = bytearray()
    for part in parts:
        held += part
        start = 0
        while split == "line" and (end := _end(held, start, strategy, most_bytes)):
            yield bytes(held[start:end])
            start = end
        del held[:start]
        if len(held) > most_bytes:
            raise ValueError(f"{'A line' if split == 'line' else 'It'} is larger than {most_bytes:,} bytes")
    if held or split == "none":
        yield bytes(held)


def _end(held: bytearray, start: int, strategy: str, most_bytes: int) -> int:
    """Return where the request ends that starts there; 0 where more must be read to know it."""
    if strategy == "single-record":
        return held.find(b"\n", start, start + most_bytes) + 1
    is_more = len(held) - start > most_bytes
    return held.rfind(b"\n", start, start + most_bytes) + 1 if is_more else 0


class Model:
    """The server beside this program: it answers ``concurrency`` requests at a time."""

    def __init__(self, settings: dict[str, str]) -> None:
        self.url, self.ping = urlsplit(settings["MODEL_URL"]), urlsplit(settings["PING_URL"])
        self.headers = {"content-type": settings["CONTENT_TYPE"]}
        self.headers.update({"accept": settings["ACCEPT"]} if settings["ACCEPT"] else {})
        self.retries, self.timeout_s = int(settings["RETRIES"]), float(settings["ANSWER_TIMEOUT_S"])
        self.startup_s, self.concurrency = float(settings["STARTUP_S"]), int(settings["MAX_CONCURRENCY"])
        self.pool = ThreadPoolExecutor(self.concurrency)

    def wait(self) -> None:
        """Return when it answers a ping."""
        began = time.monotonic()
        while True:
            try:
                if self._send("GET", self.ping, 5.0)[0] == 200:
                    return
            except (OSError, HTTPException):
                pass
            if time.monotonic() - began > self.startup_s:
                raise ProgramError(
                    f"The model does not answer {self.ping.path} within {self.startup_s:.0f} s."
                )
            time.sleep(PAUSE_S)

    def submit(self, body: bytes, key: str) -> Future[bytes]:
        """Ask for the answer to a request of an object."""
        return self.pool.submit(self._answer, body, key)

    def _answer(self, body: bytes, key: str) -> bytes:
        trouble = ""
        for attempt in range(self.retries + 1):
            if attempt:
                time.sleep(PAUSE_S)
                self.wait()  # a server that ended is started again
            try:
                status, answer = self._send("POST", self.url, self.timeout_s, body)
            except (OSError, HTTPException) as error:
                trouble = f"does not answer ({error or type(error).__name__})"
                continue
            if status == 200:
                return answer
            trouble = f"answers {status}: {answer[:200].decode(errors='replace').strip()}"
            if status < 500 and status != 429:
                break
        raise ProgramError(f"The model {trouble}, to a request of {key}.")

    def _send(self, method: str, url: Any, timeout_s: float, body: bytes | None = None) -> tuple[int, bytes]:
        connection = HTTPConnection(url.netloc, timeout=timeout_s)
        try:
            connection.request(method, url.path, body, self.headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()


def answers(
    model: Model, bucket: str, source: tuple[str, int, str], settings: dict[str, str], room: int
) -> Iterator[bytes]:
    """Yield the answers to one object in their order; those to lines are lines again. ``room`` requests are under way."""
    key, split = source[0], settings["SPLIT"]
    parts: Iterator[bytes] = (part for _, part in contents(bucket, [source], threads=1))
    parts = unpacked(parts) if settings["COMPRESSION"] == "gzip" else parts
    end = b"\n" if split == "line" else b""
    coming: deque[Future[bytes]] = deque()
    try:
        for body in requests(parts, split, settings["STRATEGY"], int(settings["MAX_PAYLOAD_MB"]) * 1024**2):
            while coming and (len(coming) >= room or coming[0].done()):
                yield coming.popleft().result().removesuffix(end) + end
            coming.append(model.submit(body, key))
            del body  # or it would be held beside its answer
    except (ValueError, EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ProgramError(f"{key} cannot be sent: {error}.") from error
    while coming:
        yield coming.popleft().result().removesuffix(end) + end


def split_uri(uri: str) -> tuple[str, str]:
    """Return bucket and prefix."""
    bucket, _, prefix = uri.removeprefix("s3://").partition("/")
    return bucket, prefix


def transform_objects(settings: dict[str, str]) -> None:
    """Transform the objects of this shard."""
    index = settings.get("JOB_COMPLETION_INDEX") or settings.get("AWS_BATCH_JOB_ARRAY_INDEX") or "0"
    (bucket, prefix), (output, folder) = split_uri(settings["DATA_URI"]), split_uri(settings["OUTPUT_URI"])
    found = sorted(source for source in objects(bucket, prefix) if not source[0].endswith("/"))
    if not found:
        raise ProgramError(f"There is nothing under {settings['DATA_URI']}.")
    written = {key for key, _, _ in objects(output, folder)}
    ours = [
        (source, f"{folder}{source[0][len(prefix) :]}.out")
        for source in found[int(index) :: int(settings["SHARDS"])]
    ]
    left = [(source, key) for source, key in ours if key not in written]
    print(f"{len(left)} of {len(ours)} objects are to be transformed.", flush=True)
    if not left:
        return
    model = Model(settings)
    model.wait()
    # Of the largest requests, each is several times in memory: as it comes, as it is sent, as it is answered.
    at_a_time = min(OBJECTS if int(settings["MAX_PAYLOAD_MB"]) <= LARGE_MB else 1, len(left))
    room = 2 * model.concurrency // at_a_time

    def transform(source: tuple[str, int, str], key: str) -> None:
        with Upload(output, key, threads=2) as upload:
            for answer in answers(model, bucket, source, settings, room):
                upload.write(answer)

    pool = ThreadPoolExecutor(at_a_time)
    for ended in as_completed([pool.submit(transform, *pair) for pair in left]):
        ended.result()


if __name__ == "__main__":
    # The first process of a container hears SIGTERM only by a handler. What is written whole is not sent again.
    signal.signal(signal.SIGTERM, lambda *_: os._exit(143))
    try:
        transform_objects(dict(os.environ))
    except Exception as failure:
        print(reason(failure, "", "The transform failed"), file=sys.stderr, flush=True)
        os._exit(1)
    os._exit(0)
