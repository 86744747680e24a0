"""What is known of an endpoint, and its status. Members that begin with an underscore are ours: no answer shows them."""

import copy
from typing import Any

from sizewell_localcloud.emulator import clock
from sizewell_localcloud.emulator.account import arn
from sizewell_localcloud.emulator.errors import ValidationError
from sizewell_localcloud.emulator.events import put_event
from sizewell_localcloud.emulator.sagemaker import history, store

_EVENT_STATUS = {
    "Creating": "CREATING",
    "Updating": "UPDATING",
    "RollingBack": "ROLLING_BACK",
    "InService": "IN_SERVICE",
    "Failed": "FAILED",
    "Deleting": "DELETING",
}


def endpoint_arn(name: str) -> str:
    """Return the ARN of an endpoint; SageMaker writes names in ARNs in lower case."""
    return arn("sagemaker", f"endpoint/{name.lower()}")


def found_endpoint(name: str) -> dict[str, Any]:
    """Return an endpoint. Raises ValidationError."""
    endpoint: dict[str, Any] | None = store.endpoints.get(name)
    if endpoint is None:
        raise ValidationError(f'Could not find endpoint "{endpoint_arn(name)}".')
    return endpoint


def require_in_service(endpoint: dict[str, Any]) -> None:
    """Refuse to change an endpoint at which something is going on."""
    if endpoint["EndpointStatus"] != "InService":
        raise ValidationError(f'Cannot update in-progress endpoint "{endpoint["EndpointArn"]}".')


def mark(endpoint: dict[str, Any], status: str, reason: str | None = None) -> dict[str, Any]:
    """Move an endpoint to a status; return the event that ``announce`` sends once the lock is free."""
    with store.lock:
        endpoint["EndpointStatus"] = status
        endpoint["LastModifiedTime"] = clock.now()
        if reason is None:
            endpoint.pop("FailureReason", None)
        else:
            endpoint["FailureReason"] = reason
        history.record(f"endpoint/{endpoint['EndpointName']}", status)
        shown = ("EndpointName", "EndpointArn", "EndpointConfigName", "CreationTime", "LastModifiedTime")
        detail = {key: copy.deepcopy(endpoint[key]) for key in shown}
    return detail | {"EndpointStatus": _EVENT_STATUS[status]}


def announce(detail: dict[str, Any]) -> None:
    """Send the event to EventBridge; never under the lock, because a rule's target may call us."""
    put_event("SageMaker Endpoint State Change", detail["EndpointArn"], detail)


def set_status(endpoint: dict[str, Any], status: str, reason: str | None = None) -> None:
    """Move an endpoint to a status, and send the event to EventBridge."""
    announce(mark(endpoint, status, reason))
