"""A small queue with its dead letters, and small topics, on loopback: SQS speaks JSON, SNS the older query protocol."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Condition
from typing import Any, ClassVar
from urllib.parse import parse_qs

from tests.targets.contract.small_s3 import STATIC, QuietServer, SignedHandler, served

SENT_MS = 1_764_316_800_000


@dataclass
class Letter:
    """A message: whether it can be received, how often it was, and with which handle."""

    id: str
    body: str
    is_visible: bool = True
    receives: int = 0
    handle: str = ""


@dataclass
class Queue:
    """Messages, what became of them, and what was published. Time stands still: a message is invisible until it is shown."""

    max_receives: int = 3
    letters: list[Letter] = field(default_factory=list)
    dead: list[Letter] = field(default_factory=list)
    #: Each change of visibility: the message and the seconds.
    changes: list[tuple[str, int]] = field(default_factory=list)
    published: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    #: How often somebody waits for messages.
    polls: int = 0
    sent: int = 0
    #: Called with each action; what it returns is answered in its place.
    trouble: Callable[[str], tuple[int, str] | None] = lambda action: None
    changed: Condition = field(default_factory=Condition)

    def send(self, body: Any) -> str:
        """Add a message, and return its id."""
        with self.changed:
            self.sent += 1
            letter = Letter(f"message-{self.sent}", body if isinstance(body, str) else json.dumps(body))
            self.letters.append(letter)
            self.changed.notify_all()
            return letter.id

    def act(self, action: str, members: dict[str, Any]) -> dict[str, Any]:
        with self.changed:
            if action == "ReceiveMessage":
                self.polls += 1
                self.changed.wait_for(lambda: any(letter.is_visible for letter in self.letters), timeout=0.1)
                return self._receive(members)
            (letter,) = [letter for letter in self.letters if letter.handle == members["ReceiptHandle"]]
            if action == "DeleteMessage":
                self.letters.remove(letter)
            elif action == "ChangeMessageVisibility":
                self.changes.append((letter.id, members["VisibilityTimeout"]))
                letter.is_visible = members["VisibilityTimeout"] == 0
            self.changed.notify_all()
            return {}

    def _receive(self, members: dict[str, Any]) -> dict[str, Any]:
        assert members["VisibilityTimeout"] > 0
        found: list[dict[str, Any]] = []
        for letter in [letter for letter in self.letters if letter.is_visible]:
            if letter.receives >= self.max_receives:
                self.letters.remove(letter)
                self.dead.append(letter)
            elif len(found) < members["MaxNumberOfMessages"]:
                letter.is_visible, letter.receives = False, letter.receives + 1
                letter.handle = f"{letter.id} handle {letter.receives}"
                attributes = {"ApproximateReceiveCount": str(letter.receives), "SentTimestamp": str(SENT_MS)}
                found.append(
                    {
                        "MessageId": letter.id,
                        "ReceiptHandle": letter.handle,
                        "Body": letter.body,
                        "Attributes": {
                            name: attributes[name] for name in members["MessageSystemAttributeNames"]
                        },
                    }
                )
        return {"Messages": found} if found else {}


class Handler(SignedHandler):
    queue: ClassVar[Queue]

    def serve(self) -> None:
        action = self.headers["x-amz-target"]
        service = "sqs" if action else "sns"
        if not self.signed_by(STATIC, service):
            self.answer(403, b'{"__type": "com.amazon.coral.service#InvalidSignatureException"}')
        elif service == "sns":
            sent = {name: value[0] for name, value in parse_qs(self.body.decode()).items()}
            assert (sent["Action"], sent["Version"]) == ("Publish", "2010-03-31")
            self.queue.published.append((sent["TopicArn"], json.loads(sent["Message"])))
            self.answer(200, b"<PublishResponse/>")
        elif trouble := self.queue.trouble(action.removeprefix("AmazonSQS.")):
            self.answer(trouble[0], json.dumps({"__type": f"com.amazonaws.sqs#{trouble[1]}"}).encode())
        else:
            found = self.queue.act(action.removeprefix("AmazonSQS."), json.loads(self.body))
            self.answer(200, json.dumps(found).encode())


@contextmanager
def small_queue() -> Iterator[tuple[Queue, str]]:
    """Yield the queue, and the endpoint at which it and the topics are served."""
    queue = Queue()
    server = QuietServer(("127.0.0.1", 0), type("BoundHandler", (Handler,), {"queue": queue}))
    with served(server):
        yield queue, f"http://127.0.0.1:{server.server_port}"
