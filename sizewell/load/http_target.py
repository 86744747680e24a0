"""An address that somebody named: a body is sent by POST."""

import re
import select
from collections import deque
from collections.abc import Iterator, Mapping
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection, IncompleteRead
from urllib.parse import urlsplit

from sizewell.load.observations import RequestFailedError
from sizewell.load.open_loop import SHOWN_BYTES, TIMEOUT_S

_CHUNK_BYTES = 65_536
_CUT_OFF = "the answer was cut off"
#: A name as RFC 9110, section 5.1, has it; a value without control characters.
_HEADER = re.compile(r"(?P<name>[!#$%&'*+.^_`|~0-9A-Za-z-]+):\s*(?P<value>[\x20-\x7e]*)")


class HttpTarget:
    """Sends a body to an address, over connections that are kept; may be used by several threads."""

    def __init__(self, url: str, body: bytes, headers: Mapping[str, str]) -> None:
        """Raise ``ValueError`` for what is no address; the text says why."""
        if not re.fullmatch(r"[\x21-\x7e]+", url):
            raise ValueError("it has blanks, or characters that an address has only in an escaped form")
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("expected http://HOST/PATH or https://HOST/PATH")
        if parts.username or parts.password:
            raise ValueError("it has a user or a password: send them with --header")
        self._connection = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        try:
            self._address = (parts.hostname, parts.port)
        except ValueError:
            raise ValueError("the port is no number up to 65535") from None
        self._path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        self._body = body
        self._headers = dict(headers)
        self._idle: deque[HTTPConnection] = deque()
        self.shown = f"{parts.scheme}://{parts.netloc}{parts.path}"
        """Without the query, in which secrets may stand."""

    def send(self) -> Iterator[bytes]:
        """Send the body and yield the answer as it comes. Raises RequestFailedError; redirects are not followed."""
        connection = self._take()
        kept = False
        try:
            connection.request("POST", self._path, self._body, self._headers)
            response = connection.getresponse()
            if not 200 <= response.status < 300:
                raise RequestFailedError(f"HTTP {response.status}", _text_of(response))
            while chunk := response.read1(_CHUNK_BYTES):
                yield chunk
            if response.length:
                raise RequestFailedError(_CUT_OFF)
            # It does not end by itself where its length was stated.
            response.close()
            kept = not response.will_close
        except TimeoutError:
            raise RequestFailedError(f"no answer within {TIMEOUT_S:g} s") from None
        except IncompleteRead:
            raise RequestFailedError(_CUT_OFF) from None
        except (OSError, HTTPException) as error:
            kind = getattr(error, "strerror", None) or type(error).__name__
            raise RequestFailedError(str(kind), str(error)) from None
        finally:
            if kept:
                self._idle.append(connection)
            else:
                connection.close()

    def close(self) -> None:
        """Close the connections that are not in use."""
        while self._idle:
            self._idle.pop().close()

    def _take(self) -> HTTPConnection:
        """Return a connection that is not in use; one that the server has closed meanwhile can be read, and is left."""
        while True:
            try:
                connection = self._idle.pop()
            except IndexError:
                return self._connection(*self._address, timeout=TIMEOUT_S)
            if connection.sock is not None and not select.select([connection.sock], [], [], 0)[0]:
                return connection
            connection.close()


def parse_header(text: str) -> tuple[str, str]:
    """Return the name and the value of NAME: VALUE. Raises ``ValueError``, whose text does not hold the value."""
    if not (found := _HEADER.fullmatch(text)):
        raise ValueError("expected NAME: VALUE in ASCII")
    return found["name"], found["value"]


def _text_of(response: HTTPResponse) -> str:
    return response.read(SHOWN_BYTES).decode("utf-8", "replace").strip()
