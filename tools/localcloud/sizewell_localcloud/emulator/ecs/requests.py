"""Requests to ministack's ECS, made of the properties of CloudFormation."""

import json
from collections.abc import Iterable
from typing import Any

from ministack.services import ecs

from sizewell_localcloud.emulator.account import random_suffix
from sizewell_localcloud.emulator.errors import AwsError
from sizewell_localcloud.emulator.resource_schemas import Properties
from sizewell_localcloud.emulator.service_models import service_model
from sizewell_localcloud.emulator.shapes import spelled

Request = dict[str, Any]


def request_of(operation: str, properties: Properties) -> Request:
    """Return the properties with the names that the request of an operation has for them."""
    shape = service_model("ecs").operation_model(operation).input_shape
    request: Request = spelled(properties, shape)
    return request


def call(operation: str, request: Request) -> Request:
    """Return the answer to a request. Raises AwsError."""
    status, _, body = ecs._dispatch_action(operation, request)
    answer: Request = json.loads(body)
    if status != 200:
        raise AwsError(answer["__type"], answer["message"], status)
    return answer


def refuse(problems: Iterable[str], code: str = "InvalidParameterException") -> None:
    """Raise AwsError for the first problem; ECS names no more."""
    for problem in problems:
        raise AwsError(code, problem)


def require_cluster(name: str) -> None:
    """Refuse a cluster that does not exist."""
    if name not in ecs._clusters:
        raise AwsError("ClusterNotFoundException", "Cluster not found.")


def made_name(stack_name: str, logical_id: str) -> str:
    """Return a name for a resource that its template does not name."""
    return f"{stack_name}-{logical_id}-{random_suffix()}"
