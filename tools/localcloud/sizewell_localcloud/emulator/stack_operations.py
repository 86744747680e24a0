"""Stack operations as others see them: events for EventBridge, and answers that wait for the end of an operation.

``cdk`` looks at a stack at once and then every five seconds. Most operations here take less than a second, so the answer
to the request that starts one is held back until it has ended, or for a few seconds.
"""

import asyncio
import json
from typing import Any
from urllib.parse import parse_qs

import ministack.app
from ministack.core.responses import get_account_id, get_region
from ministack.services import eventbridge
from ministack.services.cloudformation import _stacks, stacks

from sizewell_localcloud.emulator import activity
from sizewell_localcloud.emulator.account import in_background

#: Less than the time-outs of any client.
_PATIENCE_S = 4.0
_LOOK_S = 0.02
_STARTING = {"ExecuteChangeSet", "CreateStack", "UpdateStack", "DeleteStack"}


def install() -> None:
    """Send every status of a stack to EventBridge, and hold answers back."""
    _tell_statuses()
    _hold_answers()


def _tell_statuses() -> None:
    # https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/stacks-event-bridge.html
    original = stacks._add_event

    def add_event(
        stack_id: str,
        stack_name: str,
        logical_id: str,
        resource_type: str,
        status: str,
        *rest: Any,
        **more: Any,
    ) -> Any:
        result = original(stack_id, stack_name, logical_id, resource_type, status, *rest, **more)
        if resource_type == "AWS::CloudFormation::Stack" and logical_id == stack_name:
            detail = {"stack-id": stack_id, "status-details": {"status": status, "status-reason": ""}}
            entry = {
                "Source": "aws.cloudformation",
                "DetailType": "CloudFormation Stack Status Change",
                "Detail": json.dumps(detail),
                "Resources": [stack_id],
            }
            in_background(activity.going_on(lambda: _tell(entry)), "stack status")
        return result

    stacks._add_event = add_event


def _tell(entry: dict[str, Any]) -> None:
    eventbridge._put_events({"Entries": [entry]}, allow_aws_source=True)


def _hold_answers() -> None:
    handle = ministack.app.SERVICE_HANDLERS["cloudformation"]

    async def patient(
        method: str, path: str, headers: dict[str, str], body: bytes, query: dict[str, Any]
    ) -> Any:
        answer = await handle(method, path, headers, body, query)
        form = parse_qs(body.decode("utf-8", errors="replace")) if body else query
        action = (form.get("Action") or [""])[0]
        if action in _STARTING:
            await _until_ended((form.get("StackName") or [""])[0], deleting=action == "DeleteStack")
        return answer

    ministack.app.SERVICE_HANDLERS["cloudformation"] = patient


async def _until_ended(stack: str, *, deleting: bool) -> None:
    name = stack.split("/")[1] if stack.startswith("arn:") else stack
    loop = asyncio.get_running_loop()
    deadline = loop.time() + _PATIENCE_S
    while loop.time() < deadline:
        found = _stacks.get_scoped(get_account_id(), get_region(), name)
        status = found["StackStatus"] if found is not None else "DELETE_COMPLETE"
        # A deletion that has been asked for may not have begun yet.
        if not status.endswith("IN_PROGRESS") and (not deleting or status.startswith("DELETE")):
            return
        await asyncio.sleep(_LOOK_S)
