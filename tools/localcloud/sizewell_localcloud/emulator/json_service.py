"""A service of the ``X-Amz-Target`` kind: botocore's model checks the request and shapes the answer."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from sizewell_localcloud.emulator import faults, requests_log
from sizewell_localcloud.emulator.errors import AwsError, ValidationError
from sizewell_localcloud.emulator.service_models import service_model
from sizewell_localcloud.emulator.shapes import faults_of, fitted

Operation = Callable[[dict[str, Any]], dict[str, Any] | None]
Answer = tuple[int, dict[str, str], bytes]

_logger = logging.getLogger("localcloud")


class JsonService:
    """One service: ``operations`` holds what is emulated, every other operation is refused by name."""

    def __init__(self, name: str, operations: Mapping[str, Operation]) -> None:
        self.name = name
        self.operations = operations
        self.model = service_model(name)

    @property
    def target_prefix(self) -> str:
        """What the ``X-Amz-Target`` header begins with."""
        return str(self.model.metadata["targetPrefix"])

    def operation_of(self, path: str, headers: Mapping[str, str]) -> str:
        """Return which operation an HTTP request is for; an empty text is none of this API."""
        return headers.get("x-amz-target", "").rpartition(".")[2]

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        """Run one operation as a request over the wire would: checked, executed, shaped. Raises AwsError."""
        if operation not in self.model.operation_names:
            raise AwsError("UnknownOperationException", f"{self.name} has no operation {operation}")
        if operation not in self.operations:
            raise AwsError("NotEmulated", f"{self.name}:{operation} is not emulated by the local cloud", 501)
        shape = self.model.operation_model(operation)
        body = json.loads(json.dumps(request))
        if shape.input_shape is not None:
            found = list(faults_of(body, shape.input_shape))
            if found:
                noun = "validation error" if len(found) == 1 else "validation errors"
                raise ValidationError(f"{len(found)} {noun} detected: {'; '.join(found)}")
        requests_log.record(self.name, operation, body)
        faults.before(self.name, operation)
        answer = self.operations[operation](body) or {}
        faults.after(self.name, operation)
        return fitted(answer, shape.output_shape) if shape.output_shape is not None else {}

    def handler(self) -> Callable[..., Awaitable[Answer]]:
        """Return what the emulator calls for each HTTP request of this service."""

        async def handle(
            method: str, path: str, headers: dict[str, str], body: bytes, query_params: dict[str, Any]
        ) -> Answer:
            operation = self.operation_of(path, headers)
            try:
                if not operation:  # another API under the same signature: sagemaker-runtime and its like
                    raise AwsError(
                        "NotEmulated", f"{self.name}: {method} {path} is not emulated by the local cloud", 501
                    )
                # Off the event loop: an operation may call back into the emulator.
                answer = await asyncio.to_thread(self.call, operation, json.loads(body or b"{}"))
            except faults.ConnectionCutError:
                return 500, {"Content-Type": "application/x-amz-json-1.1"}, b""
            except AwsError as error:
                _logger.info("%s:%s refused: %s", self.name, operation, error.message)
                payload = {"__type": error.code, "message": error.message}
                return (
                    error.status,
                    {"Content-Type": "application/x-amz-json-1.1"},
                    json.dumps(payload).encode(),
                )
            return 200, {"Content-Type": "application/x-amz-json-1.1"}, json.dumps(answer).encode()

        return handle


class RestJsonService(JsonService):
    """A service whose operations have paths of their own, and all members in the body."""

    def operation_of(self, path: str, headers: Mapping[str, str]) -> str:
        """Return the operation of a path."""
        names: list[str] = self.model.operation_names
        return next(
            (name for name in names if self.model.operation_model(name).http["requestUri"] == path), ""
        )
