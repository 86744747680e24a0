"""The program that plays a batch transform, as a process beside a small model server, with an S3 on loopback."""

import gzip
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from threading import Lock
from typing import ClassVar

import pytest

from sizewell.targets.contract import program
from sizewell.targets.contract.transform_objects import requests
from tests.localcloud.processes import PATIENCE_S, until
from tests.targets.contract.processes import ISOLATED, ended, opened, told_of, with_limits
from tests.targets.contract.small_s3 import (
    BUCKET,
    QuietServer,
    SignedHandler,
    Store,
    served,
    small_s3,
)

PROGRAM = with_limits(program("transform_objects"), {"PAUSE_S = 2.0": "PAUSE_S = 0.01"})


@pytest.mark.parametrize(
    ("parts", "strategy", "most_bytes", "expected"),
    [
        ([b"a\nbb\n", b"c\n"], "multi-record", 5, [b"a\nbb\n", b"c\n"]),
        ([b"a\nbb\n", b"c\n"], "multi-record", 100, [b"a\nbb\nc\n"]),
        ([b"a\nb", b"b\nc"], "single-record", 100, [b"a\n", b"bb\n", b"c"]),
        ([b"", b""], "multi-record", 5, []),
    ],
)
def test_requests_hold_whole_lines(
    parts: list[bytes], strategy: str, most_bytes: int, expected: list[bytes]
) -> None:
    assert list(requests(iter(parts), "line", strategy, most_bytes)) == expected


@pytest.mark.parametrize("strategy", ["multi-record", "single-record"])
def test_a_request_never_grows_beyond_its_size(strategy: str) -> None:
    lines = [b"x" * (number % 50) + b"\n" for number in range(500)]
    whole = b"".join(lines)
    parts = [whole[start : start + 37] for start in range(0, len(whole), 37)]
    found = list(requests(iter(parts), "line", strategy, 64))
    assert b"".join(found) == whole
    assert max(map(len, found)) <= 64
    assert len(found) == (500 if strategy == "single-record" else pytest.approx(len(whole) / 64, rel=0.7))


@pytest.mark.parametrize(
    ("split", "words"), [("line", "A line is larger than 9 bytes"), ("none", "It is larger than 9 bytes")]
)
def test_what_is_too_large_is_refused_before_it_is_all_in_memory(split: str, words: str) -> None:
    def endless() -> Iterator[bytes]:
        while True:
            yield b"12345"

    with pytest.raises(ValueError, match=words):
        list(requests(endless(), split, "multi-record", 9))


@dataclass
class Server:
    """What a model server was asked, and what it answers."""

    answer: Callable[[bytes, int], tuple[int, bytes]] = lambda body, number: (200, body.upper())
    bodies: list[bytes] = field(default_factory=list)
    types: set[str] = field(default_factory=set)
    lock: Lock = field(default_factory=Lock)


class Handler(SignedHandler):
    model: ClassVar[Server]

    def serve(self) -> None:
        if self.command == "GET":
            self.answer(200, b"")
            return
        model = self.model
        with model.lock:
            model.bodies.append(self.body)
            model.types.add(self.headers["content-type"])
            number = len(model.bodies)
        self.answer(*type(self).model.answer(self.body, number))


class Pod:
    """Where the program runs: beside the server, with a store of objects."""

    def __init__(self, store: Store, endpoint: str, model: Server, address: str) -> None:
        self.store, self.model = store, model
        self.environment = {
            **told_of(endpoint),
            "DATA_URI": f"s3://{BUCKET}/rows/",
            "OUTPUT_URI": f"s3://{BUCKET}/scores/run-1/",
            "COMPRESSION": "none",
            "SPLIT": "line",
            "STRATEGY": "multi-record",
            "MAX_PAYLOAD_MB": "1",
            "CONTENT_TYPE": "text/csv",
            "ACCEPT": "",
            "MAX_CONCURRENCY": "4",
            "RETRIES": "2",
            "ANSWER_TIMEOUT_S": "60",
            "MODEL_URL": f"{address}/invocations",
            "PING_URL": f"{address}/ping",
            "STARTUP_S": "10",
            "SHARDS": "1",
            "JOB_COMPLETION_INDEX": "0",
            "PATH": os.environ["PATH"],
        }

    def start(self, **settings: str) -> subprocess.Popen[str]:
        return opened([*ISOLATED, PROGRAM], {**self.environment, **settings})

    def run(self, **settings: str) -> tuple[int, str]:
        code, _, said = ended(self.start(**settings))
        return code, said

    @property
    def written(self) -> dict[str, bytes]:
        return self.store.under("scores/run-1/")


@pytest.fixture
def pod() -> Iterator[Pod]:
    model = Server()
    server = QuietServer(("127.0.0.1", 0), type("BoundHandler", (Handler,), {"model": model}))
    with small_s3() as (store, endpoint), served(server):
        yield Pod(store, endpoint, model, f"http://127.0.0.1:{server.server_port}")


def test_lines_come_back_in_their_order_over_several_requests(pod: Pod) -> None:
    rows = b"".join(b"row %07d of a table\n" % number for number in range(200_000))
    pod.store.objects["rows/a/b.csv"] = rows
    assert pod.run() == (0, "")
    assert pod.written == {"a/b.csv.out": rows.upper()}
    assert len(pod.model.bodies) >= 4
    assert max(map(len, pod.model.bodies)) <= 1024**2
    assert pod.model.types == {"text/csv"}


def test_a_line_is_a_request_where_it_stands_alone(pod: Pod) -> None:
    pod.store.objects["rows/a"] = b"one\ntwo\nthree"
    assert pod.run(STRATEGY="single-record") == (0, "")
    assert pod.written == {"a.out": b"ONE\nTWO\nTHREE\n"}
    assert sorted(pod.model.bodies) == [b"one\n", b"three", b"two\n"]


def test_a_whole_object_is_a_request(pod: Pod) -> None:
    pod.store.objects["rows/a"] = b"one\ntwo"
    assert pod.run(SPLIT="none") == (0, "")
    assert pod.written == {"a.out": b"ONE\nTWO"}


def test_what_is_packed_is_unpacked(pod: Pod) -> None:
    pod.store.objects["rows/a.gz"] = gzip.compress(b"one\n") + gzip.compress(b"two\n")
    assert pod.run(COMPRESSION="gzip") == (0, "")
    assert pod.written == {"a.gz.out": b"ONE\nTWO\n"}


def test_a_damaged_archive_is_named(pod: Pod) -> None:
    pod.store.objects["rows/a.gz"] = gzip.compress(b"one\n" * 1000)[:-12]
    code, said = pod.run(COMPRESSION="gzip")
    assert code == 1
    assert said.startswith("rows/a.gz cannot be sent: ")
    assert pod.written == {}


def test_shards_share_all_objects(pod: Pod) -> None:
    pod.store.objects |= {f"rows/{number}": b"%d\n" % number for number in range(10)}
    for index in range(3):
        assert pod.run(SHARDS="3", JOB_COMPLETION_INDEX=str(index)) == (0, "")
    assert sorted(pod.model.bodies) == sorted(b"%d\n" % number for number in range(10))
    assert pod.written == {f"{number}.out": b"%d\n" % number for number in range(10)}


def test_a_shard_without_objects_is_done(pod: Pod) -> None:
    pod.store.objects["rows/a"] = b"one\n"
    assert pod.run(SHARDS="2", JOB_COMPLETION_INDEX="1") == (0, "")
    assert pod.written == {}


def test_a_later_pod_goes_on_with_what_is_not_written(pod: Pod) -> None:
    pod.store.objects |= {"rows/a": b"one\n", "rows/b": b"two\n", "scores/run-1/a.out": b"written before\n"}
    assert pod.run() == (0, "")
    assert pod.model.bodies == [b"two\n"]
    assert pod.written == {"a.out": b"written before\n", "b.out": b"TWO\n"}


def test_what_may_pass_is_sent_again(pod: Pod) -> None:
    pod.store.objects["rows/a"] = b"one\n"
    pod.model.answer = lambda body, number: (503, b"busy") if number < 3 else (200, body)
    assert pod.run() == (0, "")
    assert pod.written == {"a.out": b"one\n"}


@pytest.mark.parametrize(("status", "requests_sent"), [(500, 3), (400, 1)])
def test_an_error_of_the_model_is_one_sentence(pod: Pod, status: int, requests_sent: int) -> None:
    pod.store.objects["rows/a"] = b"one\n"
    pod.model.answer = lambda body, number: (status, b"no such column")
    assert pod.run() == (1, f"The model answers {status}: no such column, to a request of rows/a.\n")
    assert len(pod.model.bodies) == requests_sent
    assert pod.written == {}


def test_an_empty_prefix_is_an_error(pod: Pod) -> None:
    assert pod.run() == (1, f"There is nothing under s3://{BUCKET}/rows/.\n")


def test_it_hears_sigterm_and_leaves_no_half_an_object(pod: Pod) -> None:
    pod.store.objects["rows/a"] = b"one\n" * 1000
    pod.model.answer = lambda body, number: (503, b"busy")
    process = pod.start(RETRIES="1000000")
    until(lambda: len(pod.model.bodies), bool)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 143
    assert pod.written == {}
