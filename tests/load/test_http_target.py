"""A body is sent to an address by POST, over connections that are kept, and what is no answer is a failure."""

import select
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from sizewell.load.http_target import HttpTarget, parse_header
from sizewell.load.observations import RequestFailedError
from tests.load.loopback import OK, server
from tests.localcloud.processes import until


@contextmanager
def target_at(url: str, body: bytes = b"", headers: dict[str, str] | None = None) -> Iterator[HttpTarget]:
    with closing(HttpTarget(url, body, headers or {})) as target:
        yield target


def sent(target: HttpTarget) -> bytes:
    return b"".join(target.send())


def failure(target: HttpTarget) -> str:
    with pytest.raises(RequestFailedError) as raised:
        sent(target)
    return str(raised.value)


def test_requests_share_a_connection() -> None:
    headers = {"Authorization": "Bearer x"}
    with server(OK) as there, target_at(f"{there.url}?key=1", b"body", headers) as target:
        assert [sent(target) for _ in range(3)] == [b"{}"] * 3

    assert there.asked == [("/v1/completions?key=1", b"body", "Bearer x")] * 3
    assert len(there.clients) == 1


def test_a_connection_that_the_server_has_closed_is_not_used_again() -> None:
    with (
        server(OK.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")) as there,
        target_at(there.url) as target,
    ):
        assert [sent(target) for _ in range(2)] == [b"{}"] * 2

    assert len(there.clients) == 2


def test_a_connection_on_which_the_server_hung_up_is_not_used_again() -> None:
    with server(OK) as there, target_at(there.url) as target:
        there.hangs_up = True
        assert sent(target) == b"{}"
        kept = target._idle[0].sock
        until(lambda: select.select([kept], [], [], 0)[0], bool)
        assert sent(target) == b"{}"

    assert len(there.clients) == 2


def test_chunks_of_a_stream_are_joined() -> None:
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n"
    with server(chunked, OK) as there, target_at(there.url) as target:
        assert [sent(target), sent(target)] == [b"abc", b"{}"]

    assert len(there.clients) == 1


def test_what_is_no_answer_is_a_failure_and_sent_once() -> None:
    refusals = [
        b"HTTP/1.1 503 Busy\r\nContent-Length: 4\r\n\r\nbusy",
        b"HTTP/1.1 301 Moved\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\nConnection: close\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n2\r\n{}\r\n",
    ]
    with server(*refusals, OK) as there, target_at(there.url) as target:
        assert failure(target) == "HTTP 503: busy"
        assert failure(target) == "HTTP 301"
        assert failure(target).startswith("RemoteDisconnected: ")
        assert failure(target) == "the answer was cut off"
        assert failure(target) == "the answer was cut off"
        assert sent(target) == b"{}"

    assert len(there.asked) == 6


def test_nobody_there_is_a_failure() -> None:
    assert failure(HttpTarget("http://127.0.0.1:1/", b"", {})).startswith("Connection refused: ")


def test_a_query_is_not_shown() -> None:
    target = HttpTarget("https://example.com:8443/a?key=secret", b"", {})

    assert target.shown == "https://example.com:8443/a"


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("ftp://example.com/", "expected http://HOST/PATH or https://HOST/PATH"),
        ("http:///path", "expected http://HOST/PATH or https://HOST/PATH"),
        ("http://user:word@example.com/", "it has a user or a password: send them with --header"),
        (
            "http://example.com/a b",
            "it has blanks, or characters that an address has only in an escaped form",
        ),
        ("http://example.com:http/", "the port is no number up to 65535"),
    ],
)
def test_what_is_no_address(url: str, why: str) -> None:
    with pytest.raises(ValueError, match=f"^{why}$"):
        HttpTarget(url, b"", {})


def test_headers() -> None:
    assert parse_header("Authorization: Bearer a:b") == ("Authorization", "Bearer a:b")
    for text in ("Bearer secret", "A b: secret", "A: secret\r\nB: c", "A: sécret"):
        with pytest.raises(ValueError, match=r"^expected NAME: VALUE in ASCII$"):
            parse_header(text)
