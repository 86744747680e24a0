"""The worker of a queue as a process of its own, with a queue, topics, an S3 and a model on loopback."""

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from random import Random
from threading import Event, Lock
from typing import Any, ClassVar

import pytest

from sizewell.targets.contract import program
from tests.localcloud.processes import PATIENCE_S, until
from tests.targets.contract.processes import ISOLATED, ended, opened, told_of, with_limits
from tests.targets.contract.small_queue import Queue, small_queue
from tests.targets.contract.small_s3 import (
    BUCKET,
    REGION,
    Asked,
    QuietServer,
    Store,
    Trouble,
    served,
    small_s3,
)

PROGRAM = program("work_queue")
INPUT, OUTPUT, FAILURE = (f"inference/speech/{name}/" for name in ("input", "output", "failure"))
REQUEST = {"InputLocation": f"s3://{BUCKET}/{INPUT}a.flac"}
LARGE = Random(1).randbytes(40 * 1024**2)


@dataclass
class Model:
    """What the model was asked, and what it answers: a body of the same bytes in reverse order, or another status."""

    asked: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    #: What the next answers are: a status, "cut" for half an answer, "break" for none, "gone" if
    #: the model is not ready after that, "wait" for one that comes when it may; then 200.
    answers: list[int | str] = field(default_factory=list)
    pings: int = 0
    is_ready: bool = True
    may_answer: Event = field(default_factory=Event)
    lock: Lock = field(default_factory=Lock)


class ModelHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    model: ClassVar[Model]

    def do_GET(self) -> None:
        assert self.path == "/ping"
        self.model.pings += 1
        self._answer(200 if self.model.is_ready else 503, b"")

    def do_POST(self) -> None:
        assert self.path == "/invocations"
        body = self.rfile.read(int(self.headers["content-length"]))
        with self.model.lock:
            self.model.asked.append(({name.lower(): value for name, value in self.headers.items()}, body))
            answer = self.model.answers.pop(0) if self.model.answers else 200
        if answer == "gone":
            self.model.is_ready = False
        if answer == "wait":
            assert self.model.may_answer.wait(PATIENCE_S)
            answer = 200
        self._answer(
            answer if isinstance(answer, int) else 200,
            body[::-1],
            cut=answer == "cut",
            gone=answer in ("break", "gone"),
        )

    def _answer(self, status: int, body: bytes, cut: bool = False, gone: bool = False) -> None:
        self.close_connection = True
        if gone:
            return
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Type", "text/plain;  charset=utf-8")
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if cut else body)

    def log_message(self, *_: Any) -> None:
        pass


class Place:
    """The pod or task: what the worker is told, and all that it speaks with."""

    def __init__(self, store: Store, queue: Queue, model: Model, environment: dict[str, str]) -> None:
        self.store, self.queue, self.model, self.environment = store, queue, model, environment
        self.processes: list[subprocess.Popen[str]] = []

    def start(self, beat_s: float = 30, timeout_s: int = 60) -> subprocess.Popen[str]:
        limits = {
            "VISIBLE_S, BEAT_S = 120, 30": f"VISIBLE_S, BEAT_S = 120, {beat_s}",
            "PING_TIMEOUT_S, PING_PERIOD_S = 20, 2, 1": "PING_TIMEOUT_S, PING_PERIOD_S = 20, 2, 0.01",
        }
        told = self.environment | {"ANSWER_TIMEOUT_S": str(timeout_s)}
        process = opened([*ISOLATED, with_limits(PROGRAM, limits)], told)
        self.processes.append(process)
        return process

    def work(self, *bodies: Any, **limits: Any) -> str:
        """Let the worker do all messages and end; return what it printed as errors."""
        for body in bodies:
            self.queue.send(body)
        process = self.start(**limits)
        until(lambda: self.queue.letters, lambda left: left == [])
        return self.stop(process)

    def stop(self, process: subprocess.Popen[str]) -> str:
        process.send_signal(signal.SIGTERM)
        code, _, err = ended(process)
        assert code == 0, err
        return err

    def end(self) -> None:
        self.model.may_answer.set()
        for process in self.processes:
            process.kill()
            process.communicate()


@pytest.fixture
def place() -> Iterator[Place]:
    with ExitStack() as held:
        store, s3 = held.enter_context(small_s3())
        queue, services = held.enter_context(small_queue())
        model = Model()
        server = QuietServer(("127.0.0.1", 0), type("BoundHandler", (ModelHandler,), {"model": model}))
        held.enter_context(served(server))
        url = f"http://127.0.0.1:{server.server_port}"
        store.objects[f"{INPUT}a.flac"] = b"abc"
        made = Place(
            store,
            queue,
            model,
            {
                **told_of(s3),
                "AWS_ENDPOINT_URL_SNS": services,
                "QUEUE_URL": f"{services}/111122223333/speech-prod-transcribe",
                "OUTPUT_URI": f"s3://{BUCKET}/{OUTPUT}",
                "FAILURE_URI": f"s3://{BUCKET}/{FAILURE}",
                "SUCCESS_TOPIC_ARN": "arn:aws:sns:eu-central-1:111122223333:answers",
                "ERROR_TOPIC_ARN": "arn:aws:sns:eu-central-1:111122223333:failures",
                "MODEL_URL": f"{url}/invocations",
                "PING_URL": f"{url}/ping",
                "MAX_CONCURRENCY": "2",
                "MAX_RECEIVES": "3",
            },
        )
        held.callback(made.end)
        yield made


def refuse(place: Place, method: str, key: str, answer: Trouble) -> None:
    """Let S3 refuse each request for a key."""

    def look(_: Store, asked: Asked) -> Trouble:
        return answer if asked.method == method and asked.path.endswith(f"/{key}") else None

    place.store.trouble = look


# Answers.


def test_an_answer_is_written_and_told_as_sagemaker_does(place: Place) -> None:
    more = {
        "InferenceId": "job 7:a",
        "ContentType": "audio/flac",
        "Accept": "text/plain",
        "CustomAttributes": "trace=1",
    }

    err = place.work(REQUEST | more)

    assert err == ""
    assert place.store.under(OUTPUT) == {"job 7:a.out": b"cba"}
    ((headers, body),) = place.model.asked
    assert body == b"abc"
    assert {name: headers[name] for name in headers if name.startswith(("x-", "accept", "content"))} == {
        "content-type": "audio/flac",
        "content-length": "3",
        "accept": "text/plain",
        "accept-encoding": "identity",
        "x-amzn-sagemaker-custom-attributes": "trace=1",
        "x-amzn-sagemaker-inference-id": "job 7:a",
    }
    ((topic, told),) = place.queue.published
    assert topic.endswith(":answers")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", told.pop("eventTime"))
    assert told == {
        "awsRegion": REGION,
        "receivedTime": "2025-11-28T08:00:00.000Z",
        "invocationStatus": "Completed",
        "requestParameters": {
            "endpointName": "speech-prod-transcribe",
            "contentType": "audio/flac",
            "accept": "text/plain",
            "inputLocation": REQUEST["InputLocation"],
        },
        "responseParameters": {
            "contentType": "text/plain; charset=utf-8",
            "outputLocation": f"s3://{BUCKET}/{OUTPUT}job 7:a.out",
        },
        "inferenceId": "job 7:a",
        "eventVersion": "1.0",
        "eventSource": "aws:sagemaker",
        "eventName": "InferenceResult",
    }


def test_without_an_id_the_message_has_one(place: Place) -> None:
    place.work(REQUEST)

    assert place.store.under(OUTPUT) == {"message-1.out": b"cba"}


def test_inputs_and_answers_may_be_large_or_empty(place: Place) -> None:
    place.store.objects |= {f"{INPUT}large": LARGE, f"{INPUT}empty": b""}

    place.work(
        *(
            {"InputLocation": f"s3://{BUCKET}/{INPUT}{name}", "InferenceId": name}
            for name in ("large", "empty")
        )
    )

    assert place.store.under(OUTPUT) == {"large.out": LARGE[::-1], "empty.out": b""}
    assert place.store.uploads == {}


def test_no_topic_is_no_failure(place: Place) -> None:
    place.environment |= {"SUCCESS_TOPIC_ARN": "", "ERROR_TOPIC_ARN": ""}

    assert place.work(REQUEST, "no JSON") == ""
    assert place.queue.published == []


def test_a_topic_that_does_not_hear_costs_no_second_answer(place: Place) -> None:
    place.environment["AWS_ENDPOINT_URL_SNS"] = place.environment["AWS_ENDPOINT_URL_S3"]

    assert "the topic arn:aws:sns:eu-central-1:111122223333:answers" in place.work(REQUEST)
    assert len(place.model.asked) == 1


# What is final.


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("no JSON", "The message is no JSON: Expecting value: line 1 column 1 (char 0)."),
        (["a"], "The message is no JSON object with InputLocation."),
        (
            REQUEST | {"EndpointName": "x"},
            "The message has EndpointName, which is none of InputLocation, InferenceId, ContentType, Accept, CustomAttributes.",
        ),
        (
            REQUEST | {"InferenceId": "../../other"},
            "The message has a wrong InferenceId: it must match [!-.0-~][ -.0-~]{0,63}.",
        ),
        (
            REQUEST | {"ContentType": "a\r\nX-Evil: 1"},
            "The message has a wrong ContentType: it must match [ -~]{0,1024}.",
        ),
        (
            {"InputLocation": f"s3://{BUCKET}/{INPUT}none"},
            f"s3://{BUCKET}/{INPUT}none was not found: the service answers 404 (NoSuchKey).",
        ),
        (
            {"InputLocation": f"s3://{BUCKET}/{INPUT}"},
            "The message has a wrong InputLocation: it must match s3://[^/]+/.*[^/].",
        ),
    ],
)
def test_a_message_that_nobody_can_answer_is_told_once(place: Place, body: Any, reason: str) -> None:
    err = place.work(body)

    assert err == ""
    assert place.model.asked == []
    assert place.store.under(FAILURE) == {"message-1-error.out": reason.encode()}
    ((topic, told),) = place.queue.published
    assert topic.endswith(":failures")
    assert (told["invocationStatus"], told["failureReason"], told["inferenceId"]) == (
        "Failed",
        reason,
        "message-1",
    )
    assert told["responseParameters"] == {"failureLocation": f"s3://{BUCKET}/{FAILURE}message-1-error.out"}


def test_an_input_above_the_limit_is_final(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "PROGRAM", PROGRAM.replace("= 1024**3", "= 2"))

    place.work(REQUEST)

    assert place.store.under(FAILURE) == {
        "message-1-error.out": f"{REQUEST['InputLocation']} has 3 bytes, and 2 are the most.".encode()
    }


def test_what_the_model_refuses_is_final(place: Place) -> None:
    place.model.answers = [400]

    place.work(REQUEST | {"InferenceId": "7"})

    assert len(place.model.asked) == 1
    assert place.store.under(FAILURE) == {"7-error.out": b"The model answers 400: cba"}
    assert place.store.under(OUTPUT) == {}


# What may pass.


@pytest.mark.parametrize("answer", [500, 503, 429, "break", "cut"])
def test_what_may_pass_is_received_again_at_once(place: Place, answer: int | str) -> None:
    place.model.answers = [answer]

    err = place.work(REQUEST)

    assert err == ""
    assert place.queue.changes == [("message-1", 0)]
    assert place.store.under(OUTPUT) == {"message-1.out": b"cba"}
    assert place.store.under(FAILURE) == {}
    assert [told["invocationStatus"] for _, told in place.queue.published] == ["Completed"]


def test_an_answer_that_takes_too_long_may_pass(place: Place) -> None:
    place.model.answers = ["wait"]

    place.work(REQUEST, timeout_s=1)

    assert place.queue.changes == [("message-1", 0)]
    assert place.store.under(OUTPUT) == {"message-1.out": b"cba"}


def test_before_the_dead_letters_somebody_hears_of_it(place: Place) -> None:
    place.model.answers = [500, 500, 500]

    place.work(REQUEST)

    assert [letter.id for letter in place.queue.dead] == ["message-1"]
    reason = "After 3 attempts: The model answers 500: cba"
    assert place.store.under(FAILURE) == {"message-1-error.out": reason.encode()}
    assert [told["failureReason"] for _, told in place.queue.published] == [reason]


def test_an_answer_that_cannot_be_kept_is_no_answer(place: Place) -> None:
    refuse(place, "PUT", f"{OUTPUT}message-1.out", (403, "AccessDenied"))

    place.work(REQUEST)

    assert len(place.queue.dead) == 1
    (reason,) = place.store.under(FAILURE).values()
    assert b"needs s3:PutObject" in reason


def test_nothing_is_received_before_the_model_is_there(place: Place) -> None:
    place.queue.send(REQUEST)
    place.model.is_ready = False
    process = place.start()
    until(lambda: place.model.pings, lambda pings: pings > 5)
    assert place.queue.polls == 0

    place.model.is_ready = True

    until(lambda: place.queue.letters, lambda left: left == [])
    place.stop(process)


def test_a_model_that_is_gone_does_not_use_up_the_attempts(place: Place) -> None:
    place.model.answers = ["gone"]
    place.queue.send(REQUEST)
    process = place.start()
    letter = place.queue.letters[0]
    until(lambda: place.queue.changes, bool)
    pings = place.model.pings
    until(lambda: place.model.pings, lambda now: now > pings + 5)
    assert len(place.model.asked) == 1

    place.model.is_ready = True

    until(lambda: place.queue.letters, lambda left: left == [])
    assert letter.receives == 2
    assert place.store.under(OUTPUT) == {"message-1.out": b"cba"}
    place.stop(process)


# While it works.


def test_a_message_stays_invisible_while_the_model_works_and_no_longer(place: Place) -> None:
    place.model.answers = ["wait"]
    place.queue.send(REQUEST)
    process = place.start(beat_s=0.05)
    until(lambda: list(place.queue.changes), lambda changes: len(changes) > 2)
    place.model.may_answer.set()
    until(lambda: place.queue.letters, lambda left: left == [])
    assert set(place.queue.changes) == {("message-1", 120)}

    place.model.may_answer.clear()
    place.model.answers = ["wait"]
    second = place.queue.send(REQUEST)

    until(lambda: place.queue.changes.count((second, 120)), lambda beats: beats > 2)
    place.model.may_answer.set()
    assert place.stop(process) == "", "nobody holds a message that is gone"


def test_it_takes_no_more_than_the_model_can_do_at_once(place: Place) -> None:
    place.model.answers = ["wait"] * 2
    for _ in range(5):
        place.queue.send(REQUEST)
    process = place.start(beat_s=0.05)
    until(lambda: len(place.model.asked), lambda asked: asked == 2)
    until(lambda: len(place.queue.changes), lambda beats: beats > 6)
    assert [letter.receives for letter in place.queue.letters] == [1, 1, 0, 0, 0]

    place.model.may_answer.set()

    until(lambda: place.queue.letters, lambda left: left == [])
    assert len(place.store.under(OUTPUT)) == 5
    place.stop(process)


def test_sigterm_lets_what_runs_come_to_its_end_and_takes_nothing_new(place: Place) -> None:
    place.model.answers = ["wait"]
    place.queue.send(REQUEST)
    process = place.start(beat_s=0.05)
    until(lambda: place.model.asked, bool)

    process.send_signal(signal.SIGTERM)

    beats = len(place.queue.changes)
    until(lambda: len(place.queue.changes), lambda now: now > beats + 4)  # longer than a poll
    place.queue.send(REQUEST)
    place.model.may_answer.set()
    assert process.wait(PATIENCE_S) == 0
    assert place.store.under(OUTPUT) == {"message-1.out": b"cba"}
    assert [(letter.id, letter.receives) for letter in place.queue.letters] == [("message-2", 0)]


def test_what_comes_with_sigterm_is_given_back(place: Place) -> None:
    process = place.start()
    sent = Event()

    def stop_and_send(action: str) -> None:
        if action == "ReceiveMessage" and not sent.is_set():
            sent.set()
            process.send_signal(signal.SIGTERM)
            until(
                lambda: Path(f"/proc/{process.pid}/status").read_text().partition("ShdPnd:\t")[2][:16],
                lambda pending: int(pending, 16) == 0,
            )
            place.queue.send(REQUEST)

    place.queue.trouble = stop_and_send

    assert process.wait(PATIENCE_S) == 0
    assert place.model.asked == []
    assert place.queue.changes == [("message-1", 0)]
    assert place.queue.letters[0].is_visible


@pytest.mark.parametrize(
    ("trouble", "sentence"),
    [
        ((403, "AccessDeniedException"), "No permission to use the queue "),
        ((400, "QueueDoesNotExist"), "the queue "),
    ],
)
def test_a_queue_that_it_cannot_read_ends_it(place: Place, trouble: tuple[int, str], sentence: str) -> None:
    place.queue.trouble = lambda action: trouble

    process = place.start()

    _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 1
    assert err.startswith(sentence)
    assert trouble[1] in err
