"""Where ``sizewell measure`` sends its requests, and what answers there."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from sizewell.account.answering_variant import AnsweringVariant, answering_variant
from sizewell.account.aws_account import AwsAccount
from sizewell.cli.account_command import account_of
from sizewell.cli.errors import exit_with
from sizewell.cli.output import refusal
from sizewell.deploy.cloudformation import as_our_error
from sizewell.load.endpoint_target import CONFIG, EndpointTarget
from sizewell.load.http_target import HttpTarget, parse_header
from sizewell.load.open_loop import Send
from sizewell.planning.endpoint_plan_model import EndpointPlan
from sizewell.planning.foundation_plan_model import FoundationPlan
from sizewell.planning.workload_plan import InstanceWorkloadPlan


@dataclass(frozen=True)
class Request:
    """What is sent each time."""

    body: bytes
    headers: Mapping[str, str]
    streams: bool
    """Whether it asks for its answer token by token, as OpenAI's API and the model servers of AWS have it."""


@dataclass(frozen=True)
class Tested:
    """An address or an endpoint; ``count_now`` asks again how many instances answer there, ``close`` gives up connections."""

    shown: str
    send: Send
    instance_type: str
    instance_count: int
    count_now: Callable[[], int]
    close: Callable[[], None]


def read_request(payload: Path, headers: Sequence[str]) -> Request:
    """Return the request of a file. Ends the command where it cannot be read."""
    try:
        body = payload.read_bytes()
    except OSError as error:
        exit_with(f"{payload.as_posix()}\n  cannot be read: {refusal(error)}")
    data = _json(body)
    content_type = "text/csv" if payload.suffix == ".csv" else "application/octet-stream"
    own = {"Content-Type": content_type if data is None else "application/json"}
    given = dict(_headers(headers))
    if any(name.lower() == "content-type" for name in given):
        own = {}
    return Request(body, {**own, **given}, isinstance(data, dict) and data.get("stream") is True)


def address(
    url: str, request: Request, planned: InstanceWorkloadPlan, instance_type: str | None, count: int
) -> Tested:
    """Return an address; without ``instance_type`` what the plan picked answers there, by its name in SageMaker."""
    try:
        target = HttpTarget(url, request.body, request.headers)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--url") from None
    instance_type = instance_type or f"ml.{planned.selection.chosen.instance_type.removeprefix('ml.')}"
    shown = f"{target.shown}, whose use may be billed"
    return Tested(shown, target.send, instance_type, count, lambda: count, target.close)


def endpoint(
    planned: EndpointPlan, foundation: FoundationPlan, request: Request, profile: str | None
) -> Tested:
    """Return a deployed endpoint. Ends the command where it does not answer; raises CloudFormationError."""
    aws = account_of(foundation, profile)
    answers = _answering(aws, planned)
    client = aws.client("sagemaker-runtime", CONFIG)
    try:
        target = EndpointTarget(
            client,
            planned.endpoint_name,
            planned.variant_name if planned.other_variants else None,
            request.body,
            request.headers,
            streams=request.streams,
        )
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--header") from None
    return Tested(
        f"the endpoint {planned.endpoint_name} in {aws.where}: they are billed, and its scaling and alarms count them",
        target.send,
        answers.instance_type,
        answers.instance_count,
        lambda: _answering(aws, planned).instance_count,
        client.close,
    )


def _answering(aws: AwsAccount, planned: EndpointPlan) -> AnsweringVariant:
    with as_our_error(planned.endpoint_name):
        answers = answering_variant(aws, planned.endpoint_name, planned.variant_name)
    if isinstance(answers, str):
        exit_with(answers)
    return answers


def _headers(texts: Iterable[str]) -> Iterable[tuple[str, str]]:
    try:
        return [parse_header(text) for text in texts]
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--header") from None


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None
