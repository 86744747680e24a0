"""The profile of faults finds what a command says and is not so; its proxy spoils what it is told to."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from tools.benchmarks.account_faults import Ended, differences
from tools.benchmarks.faulty_proxy import ERRORS, Fault, FaultyProxy, faulty_proxy

IDENTITY = (
    "<GetCallerIdentityResponse><GetCallerIdentityResult><Account>111122223333</Account></GetCallerIdentityResult>"
    "</GetCallerIdentityResponse>"
)


class _Upstream(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        is_json = "json" in self.headers["Content-Type"]
        body = (json.dumps({"Quotas": []}) if is_json else IDENTITY).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture
def proxy() -> Iterator[FaultyProxy]:
    upstream = HTTPServer(("127.0.0.1", 0), _Upstream)
    thread = Thread(target=upstream.serve_forever, daemon=True)
    thread.start()
    with faulty_proxy(upstream.server_address[1]) as started:
        yield started
    upstream.shutdown()
    upstream.server_close()
    thread.join()


def client(proxy: FaultyProxy, service: str, attempts: int = 1) -> Any:
    return boto3.client(
        service,
        endpoint_url=proxy.url,
        region_name="us-east-1",
        aws_access_key_id="local",
        aws_secret_access_key="local",
        config=Config(retries={"total_max_attempts": attempts}),
    )


def test_what_is_not_spoiled_is_passed_on_and_named(proxy: FaultyProxy) -> None:
    proxy.begin(Fault("failed", first=3))

    assert client(proxy, "sts").get_caller_identity()["Account"] == "111122223333"
    assert client(proxy, "service-quotas").list_service_quotas(ServiceCode="ec2")["Quotas"] == []
    assert proxy.operations == ["GetCallerIdentity", "ListServiceQuotas"]


@pytest.mark.parametrize("kind", sorted(ERRORS))
def test_clients_of_both_protocols_know_an_error_by_its_code(proxy: FaultyProxy, kind: str) -> None:
    proxy.begin(Fault(kind, first=1, count=2))
    asked = []
    for service, operation, given in (
        ("sts", "get_caller_identity", {}),
        ("service-quotas", "list_service_quotas", {"ServiceCode": "ec2"}),
    ):
        with pytest.raises(ClientError) as raised:
            getattr(client(proxy, service), operation)(**given)
        asked.append(raised.value.response["Error"]["Code"].removesuffix("Exception"))
    assert asked == [ERRORS[kind][1].removesuffix("Exception")] * 2


@pytest.mark.parametrize("kind", ["cut", "lost"])
def test_an_answer_that_does_not_come_is_asked_for_again(proxy: FaultyProxy, kind: str) -> None:
    proxy.begin(Fault(kind, first=1))
    with pytest.raises(BotoCoreError):
        client(proxy, "sts").get_caller_identity()

    proxy.begin(Fault(kind, first=1))
    assert client(proxy, "sts", attempts=2).get_caller_identity()["Account"] == "111122223333"
    assert proxy.operations == ["GetCallerIdentity"] * 2


def said(code: int = 0, stdout: Any = "", stderr: str = "") -> Ended:
    return Ended(code, stdout if isinstance(stdout, str) else json.dumps(stdout), stderr)


def findings(**outcomes: str) -> Ended:
    return said(0, {"findings": [{"subject": name, "outcome": is_so} for name, is_so in outcomes.items()]})


def status(not_read: str, firing: Any) -> Ended:
    return said(0, {"places": [{"workloads": [{"not_read": not_read, "firing_alarms": firing}]}]})


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (findings(a="pass", b="fail"), findings(a="unknown", b="fail")),
        (findings(a="pass", b="fail"), said(1, "", "AWS: the credentials have expired.")),
        (status("", []), status("AccessDenied", None)),
        (said(0, {"verdict": "safe"}), said(0, {"verdict": "safe"})),
    ],
)
def test_what_was_not_read_may_be_left_open(before: Ended, after: Ended) -> None:
    assert differences(before, after) == []


@pytest.mark.parametrize(
    ("before", "after", "wrong"),
    [
        (findings(a="fail"), findings(a="pass"), "finds what is not so"),
        (findings(a="pass"), findings(a="fail"), "finds what is not so"),
        (status("", ["errors"]), status("", []), "says what is not so"),
        (said(0, {"verdict": "unsafe"}), said(0, {"verdict": "safe"}), "says something else"),
        (findings(), said(1, "", 'Traceback (most recent call last):\n  File "x"'), "a trace"),
        (findings(), said(1, "", ""), "ends without a word"),
        (findings(), said(0, "", "a word"), "ends without a word"),
        (findings(), said(1, "half of", "a word"), "prints what is no JSON"),
        (findings(), said(70, "", "a word"), "ends with 70"),
    ],
)
def test_what_is_not_so_is_found(before: Ended, after: Ended, wrong: str) -> None:
    assert any(found.startswith(wrong) for found in differences(before, after))
