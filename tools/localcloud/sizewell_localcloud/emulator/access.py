"""Who may talk to the local cloud: a program that holds the secret of this start, and no web page.

Whoever may talk to it runs code as its user, because Lambda functions are processes of this machine. Any page in a
browser and any other user of the machine reach the port; neither knows the secret.

The secret is the session token of the credentials: every AWS client sends it with each request and puts it into the URLs
that it presigns. Checking signatures instead would keep it off the wire, but each service signs another form of the
request, and a mistake there opens the door. On loopback only the superuser reads what is sent.
"""

import hmac
import json
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import parse_qsl

TOKEN_NAME = "X-Amz-Security-Token"
CODE = "AccessDenied"
NO_PAGES = "the local cloud answers programs, not web pages"
NO_SECRET = (
    "the request has no session token, or not that of the local cloud that runs now; "
    "a shell gets it with: eval $(python -m sizewell_localcloud env)"
)

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Asgi = Callable[[Message, Receive, Send], Awaitable[None]]


def guarded(app: Asgi, port: int, secret: str) -> Asgi:
    """Return the application behind the check of every request. ``port`` is that of loopback on which it listens."""
    # A page whose own name was rebound to 127.0.0.1 sends that name.
    hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}

    def refusal(scope: Message) -> str | None:
        headers = {
            name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]
        }
        from_page = "origin" in headers or headers.get("sec-fetch-site", "none") != "none"
        if from_page or scope["method"] == "OPTIONS":
            return NO_PAGES
        if headers.get("host", "").lower() not in hosts:
            return f"the local cloud answers to no other host than {' and '.join(sorted(hosts))}"
        token = headers.get(TOKEN_NAME.lower()) or _token_of_url(scope)
        return None if hmac.compare_digest(token.encode(), secret.encode()) else NO_SECRET

    async def application(scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        elif (why := refusal(scope)) is not None:
            await _refuse(scope, receive, send, why)
        else:
            await app(scope, receive, _without_cors(send))

    return application


def _token_of_url(scope: Message) -> str:
    pairs = parse_qsl(scope["query_string"].decode("latin-1"))
    # The older way to presign writes the name in small letters.
    return next((value for name, value in pairs if name.lower() == TOKEN_NAME.lower()), "")


async def _refuse(scope: Message, receive: Receive, send: Send, why: str) -> None:
    # A client that still sends its body when the connection closes would not read the answer.
    while (await receive()).get("more_body"):
        pass
    content_type, body = _error(dict(scope["headers"]), why)
    headers = [
        (b"content-type", content_type),
        (b"content-length", str(len(body)).encode()),
        # Clients of services in REST and JSON read the code here, whatever the body is.
        (b"x-amzn-errortype", CODE.encode()),
    ]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})


def _error(headers: dict[bytes, bytes], why: str) -> tuple[bytes, bytes]:
    """Return content type and body of an error as a client of this protocol reads it."""
    content_type = headers.get(b"content-type", b"")
    if b"x-amz-target" in headers or b"json" in content_type:
        return b"application/json", json.dumps({"__type": CODE, "message": why}).encode()
    error = f"<Error><Code>{CODE}</Code><Message>{why}</Message></Error>"
    return b"text/xml", f"<ErrorResponse>{error}</ErrorResponse>".encode()


def _without_cors(send: Send) -> Send:
    async def send_without_cors(message: Message) -> None:
        if message["type"] == "http.response.start":
            kept = [
                (name, value)
                for name, value in message.get("headers", [])
                if not name.lower().startswith(b"access-control-")
            ]
            message = {**message, "headers": kept}
        await send(message)

    return send_without_cors
