"""An endpoint of SageMaker is invoked once for each request."""

import struct
from contextlib import closing
from io import BytesIO
from typing import Any
from zlib import crc32

import boto3
import pytest
from botocore.exceptions import EndpointConnectionError, EventStreamError
from botocore.response import StreamingBody
from botocore.stub import Stubber

from sizewell.load.endpoint_target import CONFIG, EndpointTarget
from sizewell.load.observations import RequestFailedError
from tests.load.loopback import server


@pytest.fixture
def client() -> Any:
    return boto3.client(
        "sagemaker-runtime",
        region_name="us-east-1",
        aws_access_key_id="a",
        aws_secret_access_key="b",
        config=CONFIG,
    )


def test_members_of_the_request_are_those_of_the_api(client: Any) -> None:
    headers = {"content-type": "text/csv", "X-Amzn-SageMaker-Target-Model": "a.tar.gz"}
    target = EndpointTarget(client, "demo", "blue", b"1,2", headers, streams=False)
    expected = {
        "EndpointName": "demo",
        "Body": b"1,2",
        "TargetVariant": "blue",
        "ContentType": "text/csv",
        "TargetModel": "a.tar.gz",
    }
    with Stubber(client) as stub:
        stub.add_response("invoke_endpoint", {"Body": StreamingBody(BytesIO(b"{}"), 2)}, expected)
        assert list(target.send()) == [b"{}"]
        stub.assert_no_pending_responses()


def test_a_stream_is_yielded_as_it_comes(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def answer(**arguments: Any) -> Any:
        asked.append(arguments)
        return {"Body": [{"PayloadPart": {"Bytes": b"a"}}, {"PayloadPart": {"Bytes": b"b"}}]}

    monkeypatch.setattr(client, "invoke_endpoint_with_response_stream", answer)

    assert list(EndpointTarget(client, "demo", None, b"{}", {}, streams=True).send()) == [b"a", b"b"]
    assert asked == [{"EndpointName": "demo", "Body": b"{}"}]


def framed(event_type: str, payload: bytes) -> bytes:
    """Return an event as it is sent: https://docs.aws.amazon.com/transcribe/latest/dg/event-stream.html."""
    kinds = {":message-type": "event", ":event-type": event_type, ":content-type": "application/octet-stream"}
    headers = b"".join(
        struct.pack("!B", len(name)) + name.encode() + struct.pack("!BH", 7, len(value)) + value.encode()
        for name, value in kinds.items()
    )
    prelude = struct.pack("!II", 16 + len(headers) + len(payload), len(headers))
    message = prelude + struct.pack("!I", crc32(prelude)) + headers + payload
    return message + struct.pack("!I", crc32(message))


def client_of(url: str) -> Any:
    return boto3.client(
        "sagemaker-runtime",
        region_name="us-east-1",
        aws_access_key_id="a",
        aws_secret_access_key="b",
        endpoint_url=url.removesuffix("/v1/completions"),
        config=CONFIG,
    )


def test_over_the_wire_events_are_unpacked() -> None:
    events = framed("PayloadPart", b'data: {"a": 1}\n') + framed("PayloadPart", b"data: [DONE]\n")
    head = "HTTP/1.1 200 OK\r\nContent-Type: application/vnd.amazon.eventstream\r\nContent-Length: {}\r\n\r\n"
    with server(head.format(len(events)).encode() + events) as there, closing(client_of(there.url)) as client:
        target = EndpointTarget(client, "demo", None, b"{}", {}, streams=True)
        assert list(target.send()) == [b'data: {"a": 1}\n', b"data: [DONE]\n"]

    assert [path for path, *_ in there.asked] == ["/endpoints/demo/invocations-response-stream"]


def test_over_the_wire_a_busy_endpoint_is_asked_once() -> None:
    busy = b'{"message": "busy"}'
    refusal = (
        b"HTTP/1.1 503 Busy\r\nX-Amzn-ErrorType: ServiceUnavailable\r\nContent-Length: 19\r\n\r\n" + busy
    )
    with server(refusal) as there, closing(client_of(there.url)) as client:
        target = EndpointTarget(client, "demo", None, b"{}", {}, streams=False)
        with pytest.raises(RequestFailedError) as raised:
            list(target.send())

    assert raised.value.kind == "ServiceUnavailable"
    assert len(there.asked) == 1


def test_a_refusal_is_a_failure_that_is_not_tried_again(client: Any) -> None:
    target = EndpointTarget(client, "demo", None, b"{}", {}, streams=False)
    with Stubber(client) as stub:
        stub.add_client_error("invoke_endpoint", "ModelError", "the container said no", 424)
        with pytest.raises(RequestFailedError, match="the container said no") as raised:
            list(target.send())
    assert raised.value.kind == "ModelError"
    assert CONFIG.retries["total_max_attempts"] == 1


@pytest.mark.parametrize(
    ("streams", "action"), [(False, "InvokeEndpoint"), (True, "InvokeEndpointWithResponseStream")]
)
def test_who_may_not_invoke_is_told_what_to_allow(client: Any, streams: bool, action: str) -> None:
    target = EndpointTarget(client, "demo", None, b"{}", {}, streams=streams)
    with Stubber(client) as stub:
        method = "invoke_endpoint_with_response_stream" if streams else "invoke_endpoint"
        stub.add_client_error(method, "AccessDeniedException", "not you")
        with pytest.raises(RequestFailedError, match=rf"not you\. The test needs sagemaker:{action}: ask"):
            list(target.send())


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (EndpointConnectionError(endpoint_url="https://x"), "EndpointConnectionError"),
        (
            EventStreamError({"Error": {"Code": "ModelStreamError", "Message": "cut"}}, "Invoke"),
            "ModelStreamError",
        ),
    ],
)
def test_a_way_that_breaks_is_a_failure(
    client: Any, monkeypatch: pytest.MonkeyPatch, error: Exception, kind: str
) -> None:
    def fail(**_: Any) -> Any:
        raise error

    monkeypatch.setattr(client, "invoke_endpoint", fail)
    with pytest.raises(RequestFailedError) as raised:
        list(EndpointTarget(client, "demo", None, b"{}", {}, streams=False).send())
    assert raised.value.kind == kind


def test_a_header_that_the_api_does_not_have_is_refused(client: Any) -> None:
    with pytest.raises(ValueError, match=r"^InvokeEndpoint has no header Authorization; it has accept, "):
        EndpointTarget(client, "demo", None, b"", {"Authorization": "x"}, streams=False)
