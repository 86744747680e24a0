"""Orders that a test gives to the local cloud over HTTP, beside the APIs of AWS.

POST /_localcloud/scripts   {"kind", "name_prefix", "outcome", …}            see sagemaker/scripts.py
POST /_localcloud/faults    {"service", "operation", "moment", "effect", …}  see faults.py
POST /_localcloud/settings  {"stopped_job_fails_task": true, "time_scale": 0.001}
POST /_localcloud/quotas    {"values": {"ml.g5.xlarge for endpoint usage": 0}}  see service_quotas.py
POST /_localcloud/addresses {"subnet_id": "subnet-1", "count": 0}               see free_addresses.py
POST /_localcloud/hold      {"operation": "update my-endpoint"}              see clock.py; release and end_pause alike
POST /_localcloud/pause     the same; the answer is the pause in which the held operation waits
POST /_localcloud/clear     forget scripts, faults and the log of calls; the answer names the orders that were not used
GET  /_localcloud/activity  how many functions and operations go on beside requests
GET  /_localcloud/statuses  every status that endpoints and jobs went through
GET  /_localcloud/calls     every request of our services since the last clear
GET  /_localcloud/coverage  what is emulated
"""

import json
from collections.abc import Awaitable, Callable
from typing import Any

from sizewell_localcloud.emulator import (
    activity,
    clock,
    faults,
    free_addresses,
    requests_log,
    service_quotas,
    step_functions,
)
from sizewell_localcloud.emulator.coverage import coverage
from sizewell_localcloud.emulator.sagemaker import history, scripts

Asgi = Callable[
    [dict[str, Any], Callable[[], Awaitable[Any]], Callable[[Any], Awaitable[None]]], Awaitable[None]
]
PREFIX = "/_localcloud/"


def clear() -> dict[str, list[str]]:
    """Forget every order, and return those that were not used."""
    unused = [*scripts.clear(), *faults.clear()]
    requests_log.clear()
    service_quotas.clear()
    free_addresses.clear()
    step_functions.stopped_job_fails_task = True
    clock.set_scale(clock.DEFAULT_SCALE)
    clock.release()
    return {"unused": unused}


def answer(method: str, name: str, body: dict[str, Any]) -> Any:
    """Carry out one order. Raises KeyError for a name that there is not, TypeError for wrong fields."""
    if (method, name) == ("GET", "calls"):
        return requests_log.calls()
    if (method, name) == ("GET", "activity"):
        return {"running": activity.count()}
    if (method, name) == ("GET", "statuses"):
        return history.statuses()
    if (method, name) == ("GET", "coverage"):
        return coverage()
    orders: dict[str, Callable[..., Any]] = {
        "scripts": scripts.order,
        "faults": faults.order,
        "settings": _set,
        "quotas": service_quotas.order,
        "addresses": free_addresses.order,
        "hold": clock.hold,
        "pause": lambda operation: {"seconds": clock.held_pause_s(operation)},
        "end_pause": clock.end_pause,
        "release": clock.release,
        "clear": clear,
    }
    return orders[name](**body) or {}


def _set(*, stopped_job_fails_task: bool | None = None, time_scale: float | None = None) -> None:
    if stopped_job_fails_task is not None:
        step_functions.stopped_job_fails_task = stopped_job_fails_task
    if time_scale is not None:
        clock.set_scale(time_scale)


def around(app: Asgi) -> Asgi:
    """Return the application with our paths before it."""

    async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] != "http" or not scope["path"].startswith(PREFIX):
            await app(scope, receive, send)
            return
        body = b""
        while True:
            message = await receive()
            body += message.get("body", b"")
            if not message.get("more_body"):
                break
        try:
            result, status = (
                answer(scope["method"], scope["path"].removeprefix(PREFIX), json.loads(body or b"{}")),
                200,
            )
        except (KeyError, TypeError, ValueError) as error:
            result, status = {"message": f"{type(error).__name__}: {error}"}, 400
        headers = [(b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": json.dumps(result, default=str).encode()})

    return application
