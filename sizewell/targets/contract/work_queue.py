"""Answer the messages of a queue with the model server beside: SageMaker's asynchronous endpoint, on EKS and ECS.

A message is the JSON of https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_runtime_InvokeEndpointAsync.html. It stays
invisible while the model works, and is deleted when its answer, or why there is none, is in S3. What may pass (5xx, 408, 429, no
answer in time, no connection) makes it visible again. Each may come twice, and then writes the same objects again. Inputs and
answers pass through in parts: some 50 MiB are in memory for each message. The server must run for as long as messages may
take after SIGTERM. Tests ran it; no SQS, SNS, kubelet or agent of ECS did.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse
from threading import Lock, Semaphore, Thread
from typing import Any, ClassVar
from urllib.parse import urlencode, urlsplit

from sizewell.targets.contract.aws_client import (
    ProgramError,
    Upload,
    call,
    contents,
    endpoint,
    objects,
    reason,
    require,
    s3,
    split,
)

VARIABLES = (
    "ANSWER_TIMEOUT_S AWS_REGION ERROR_TOPIC_ARN FAILURE_URI MAX_CONCURRENCY MAX_RECEIVES MODEL_URL OUTPUT_URI PING_URL "
    "QUEUE_URL SUCCESS_TOPIC_ARN"
)
#: https://docs.aws.amazon.com/sagemaker/latest/dg/async-inference.html: 1 GB.
MAX_INPUT_BYTES = 1024**3
#: Some are in memory for each message; S3 takes none below 5 MiB.
PART_BYTES = 6 * 1024**2
#: Ours: three beats may fail before a message is visible again.
VISIBLE_S, BEAT_S = 120, 30
#: The longest that SQS waits: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ReceiveMessage.html
POLL_S, PING_TIMEOUT_S, PING_PERIOD_S = 20, 2, 1
MEMBERS = {
    "InputLocation": r"s3://[^/]+/.*[^/]",
    # A part of a key: without a slash.
    "InferenceId": r"[!-.0-~][ -.0-~]{0,63}",
    "ContentType": r"[ -~]{0,1024}",
    "Accept": r"[ -~]{0,1024}",
    "CustomAttributes": r"[ -~]{0,1024}",
}
HEADERS = {
    "ContentType": "Content-Type",
    "Accept": "Accept",
    "CustomAttributes": "X-Amzn-SageMaker-Custom-Attributes",
}
PASSING_STATUSES = {408, 429}
QUEUE = (
    "use",
    "used",
    "sqs:ReceiveMessage, sqs:ChangeMessageVisibility, sqs:DeleteMessage, and kms:Decrypt with a KMS key",
)
TOPIC = "use", "used", "sns:Publish, and kms:GenerateDataKey and kms:Decrypt with a KMS key"
_state = {"stopped": False, "ready": False}


class FinalError(Exception):
    """Why a request can never be answered: a sentence."""


def _sqs(action: str, **members: Any) -> dict[str, Any]:
    url, queue = urlsplit(os.environ["QUEUE_URL"]), {"QueueUrl": os.environ["QUEUE_URL"]}
    headers = {"content-type": "application/x-amz-json-1.0", "x-amz-target": f"AmazonSQS.{action}"}
    address, what = f"{url.scheme}://{url.netloc}/", f"the queue {queue['QueueUrl']}"
    body = json.dumps(queue | members).encode()
    found: dict[str, Any] = json.loads(call("POST", "sqs", address, what, QUEUE, headers, body)[0] or b"{}")
    return found


def _publish(topic: str, message: dict[str, Any]) -> None:
    """Publish to a topic; a subscriber that hears nothing finds the object all the same."""
    query = {"Action": "Publish", "TopicArn": topic, "Message": json.dumps(message), "Version": "2010-03-31"}
    headers = {"content-type": "application/x-www-form-urlencoded"}
    if topic:
        body = urlencode(query).encode()
        _attempt(call, "POST", "sns", f"{endpoint('sns')}/", f"the topic {topic}", TOPIC, headers, body)


class Message:
    """A message that this worker has received, until it is deleted or given back."""

    beating: ClassVar[dict[str, Message]] = {}
    lock = Lock()

    def __init__(self, received: dict[str, Any]) -> None:
        self.body, self.id, self._handle = received["Body"], received["MessageId"], received["ReceiptHandle"]
        attributes = received["Attributes"]
        self.sent_s = int(attributes["SentTimestamp"]) / 1000
        self.is_last = int(attributes["ApproximateReceiveCount"]) >= int(os.environ["MAX_RECEIVES"])
        self.request: dict[str, str] = {}
        self.beating[self._handle] = self

    def show(self, after_s: int) -> None:
        """Let the message be received again, after some time."""
        _sqs("ChangeMessageVisibility", ReceiptHandle=self._handle, VisibilityTimeout=after_s)

    def release(self) -> None:
        """Keep the message no longer: no beat comes later than what follows."""
        with self.lock:
            del self.beating[self._handle]

    def delete(self) -> None:
        """Remove the message from the queue."""
        _sqs("DeleteMessage", ReceiptHandle=self._handle)

    def read(self) -> None:
        """Understand the body."""
        try:
            request = json.loads(self.body)
        except ValueError as error:
            raise FinalError(f"The message is no JSON: {error}.") from error
        if not isinstance(request, dict) or "InputLocation" not in request:
            raise FinalError("The message is no JSON object with InputLocation.")
        for name, value in request.items():
            if name not in MEMBERS:
                raise FinalError(f"The message has {name}, which is none of {', '.join(MEMBERS)}.")
            if not (isinstance(value, str) and re.fullmatch(MEMBERS[name], value)):
                raise FinalError(f"The message has a wrong {name}: it must match {MEMBERS[name]}.")
        self.request, self.id = request, request.get("InferenceId", self.id)


def _beat() -> None:
    while True:
        time.sleep(BEAT_S)
        for handle in list(Message.beating):
            with Message.lock:
                if handle in Message.beating:
                    _attempt(Message.beating[handle].show, VISIBLE_S)


def _input(location: str) -> tuple[int, Iterator[bytes]]:
    """Return the size of an input, and its parts."""
    bucket, _, key = location[5:].partition("/")
    try:
        found = next(objects(bucket, key))
    except ProgramError as failure:
        if failure.status == 416:  # there is no first byte
            return 0, iter(())
        if failure.status == 404:  # a permission that is missing is given, or taken, for all
            raise FinalError(str(failure)) from failure
        raise
    if found[1] > MAX_INPUT_BYTES:
        raise FinalError(f"{location} has {found[1]} bytes, and {MAX_INPUT_BYTES} are the most.")
    return found[1], (body for _, body in contents(bucket, [found], 1, PART_BYTES))


def _ask(message: Message, end: float) -> str:
    """Ask the model, write its answer to S3, and return its content type."""
    while not _is_ready():
        if _is_stopped() or time.monotonic() > end:
            raise ProgramError("The model is not there.")
    url, request = urlsplit(os.environ["MODEL_URL"]), message.request
    size, parts = _input(request["InputLocation"])
    headers = {HEADERS[name]: value for name, value in request.items() if name in HEADERS}
    headers |= {"Content-Length": str(size), "X-Amzn-SageMaker-Inference-Id": message.id}
    with closing(HTTPConnection(url.netloc, timeout=end - time.monotonic())) as connection:
        with suppress(BrokenPipeError, ConnectionResetError):  # it may answer before it has read all
            connection.request("POST", url.path, parts, headers)
        answer = connection.getresponse()
        if not 200 <= answer.status < 300:
            text = f"The model answers {answer.status}: {answer.read(65536).decode(errors='replace')}"
            may_pass = answer.status >= 500 or answer.status in PASSING_STATUSES
            raise (ProgramError if may_pass else FinalError)(text)
        # A signature counts several spaces as one.
        content_type = " ".join(answer.getheader("Content-Type", "application/octet-stream").split())
        bucket, prefix = split(os.environ["OUTPUT_URI"])
        kind = {"content-type": content_type}
        with Upload(bucket, f"{prefix}{message.id}.out", 1, PART_BYTES, kind) as upload:
            for part in _whole(answer, end):
                upload.write(part)
        return content_type


def _whole(answer: HTTPResponse, end: float) -> Iterator[bytes]:
    while part := answer.read(1024**2):
        if time.monotonic() > end:
            raise TimeoutError("the answer takes too long")
        yield part
    if answer.length:
        raise HTTPException("the answer was cut")


def _time(now: float) -> str:
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(now))}.{int(now * 1000) % 1000:03}Z"


def _tell(topic: str, message: Message, **found: Any) -> None:
    """Publish what SageMaker does: https://docs.aws.amazon.com/sagemaker/latest/dg/async-inference-check-predictions.html"""
    names = {"ContentType": "contentType", "Accept": "accept", "InputLocation": "inputLocation"}
    asked = {names[name]: value for name, value in message.request.items() if name in names}
    event = {
        "awsRegion": os.environ["AWS_REGION"],
        "eventTime": _time(time.time()),
        "receivedTime": _time(message.sent_s),
        "requestParameters": {"endpointName": os.environ["QUEUE_URL"].rpartition("/")[2], **asked},
        "inferenceId": message.id,
        "eventVersion": "1.0",
        "eventSource": "aws:sagemaker",
        "eventName": "InferenceResult",
    }
    _publish(os.environ[topic], event | found)


def _fail(message: Message, why: str) -> None:
    """Write why there is no answer, and tell of it."""
    location = f"{os.environ['FAILURE_URI']}{message.id}-error.out"
    bucket, prefix = split(os.environ["FAILURE_URI"])
    s3("PUT", bucket, f"{prefix}{message.id}-error.out", {}, why.encode(), {"content-type": "text/plain"})
    response = {"failureLocation": location}
    _tell(
        "ERROR_TOPIC_ARN",
        message,
        invocationStatus="Failed",
        failureReason=why[:1024],
        responseParameters=response,
    )


def _handle(message: Message) -> None:
    """Answer a message and delete it, or give it back."""
    began, done = time.monotonic(), False
    try:
        try:
            message.read()
            content_type = _ask(message, began + int(os.environ["ANSWER_TIMEOUT_S"]))
        except FinalError as failure:
            _fail(message, str(failure))
            outcome = f"has no answer: {failure}"
        else:
            location = f"{os.environ['OUTPUT_URI']}{message.id}.out"
            response = {"contentType": content_type, "outputLocation": location}
            _tell("SUCCESS_TOPIC_ARN", message, invocationStatus="Completed", responseParameters=response)
            outcome = "is answered"
        done = True
    except Exception as failure:
        why = reason(failure, "/tmp", "there was no answer")
        _state["ready"], outcome = False, f"is given back: {why}"
        if message.is_last:
            _attempt(_fail, message, f"After {os.environ['MAX_RECEIVES']} attempts: {why}")
    message.release()
    _attempt(*((message.delete,) if done else (message.show, 0)))
    print(f"{message.id} {' '.join(outcome.split())[:300]} ({time.monotonic() - began:.1f} s)", flush=True)


def _attempt(do: Callable[..., object], *arguments: Any) -> None:
    """Do what is done again anyway, when the message comes again."""
    try:
        do(*arguments)
    except Exception as failure:
        print(reason(failure, "/tmp", "It is done again"), file=sys.stderr, flush=True)


def _is_ready() -> bool:
    """Return whether the model is there; it may have gone with the last message that failed, and would fail the others."""
    url = urlsplit(os.environ["PING_URL"])
    if not _state["ready"]:
        with (
            suppress(OSError, HTTPException),
            closing(HTTPConnection(url.netloc, timeout=PING_TIMEOUT_S)) as connection,
        ):
            connection.request("GET", url.path)
            _state["ready"] = connection.getresponse().status == 200
        time.sleep(0 if _state["ready"] else PING_PERIOD_S)
    return _state["ready"]


def _receive(most: int) -> list[Message]:
    found = _sqs(
        "ReceiveMessage",
        MaxNumberOfMessages=most,
        MessageSystemAttributeNames=["ApproximateReceiveCount", "SentTimestamp"],
        VisibilityTimeout=VISIBLE_S,
        WaitTimeSeconds=POLL_S,
    )
    return [Message(received) for received in found.get("Messages", ())]


def _main() -> None:
    require(VARIABLES)
    split(os.environ["OUTPUT_URI"]), split(os.environ["FAILURE_URI"])
    concurrency = int(os.environ["MAX_CONCURRENCY"])
    free, pool = Semaphore(concurrency), ThreadPoolExecutor(concurrency)
    Thread(target=_beat, daemon=True).start()

    def handle(message: Message) -> None:
        try:
            _handle(message)
        finally:
            free.release()

    while not _is_stopped():
        if _is_ready() and free.acquire(timeout=PING_PERIOD_S):
            slots = 1
            while slots < 10 and free.acquire(blocking=False):  # SQS gives no more than ten at once
                slots += 1
            messages = []
            try:
                messages = _receive(slots)
            except ProgramError as failure:
                if 400 <= failure.status < 500:
                    pool.shutdown()
                    raise
                print(failure, file=sys.stderr, flush=True)
            for message in messages:
                if _is_stopped():
                    message.release()
                    _attempt(message.show, 0)
                else:
                    pool.submit(handle, message)
            for _ in range(slots - len(messages)):
                free.release()
    pool.shutdown()


def _is_stopped() -> bool:
    return _state["stopped"]


def _stop(*_: object) -> None:
    _state["stopped"] = True


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _stop)
    try:
        _main()
    except Exception as failure:
        print(reason(failure, "/tmp", "The worker failed"), file=sys.stderr, flush=True)
        os._exit(1)
    os._exit(0)
