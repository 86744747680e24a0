"""An endpoint of SageMaker, invoked with the rights of the caller.

https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_runtime_InvokeEndpoint.html and
https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_runtime_InvokeEndpointWithResponseStream.html
"""

from collections.abc import Iterator, Mapping
from typing import Any

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, EventStreamError

from sizewell.aws_errors import code_of, is_denied
from sizewell.load.observations import RequestFailedError
from sizewell.load.open_loop import MAX_IN_FLIGHT, TIMEOUT_S

#: A request that is tried again would be measured as one that takes longer.
CONFIG = Config(
    connect_timeout=10,
    read_timeout=TIMEOUT_S,
    retries={"total_max_attempts": 1},
    max_pool_connections=MAX_IN_FLIGHT,
)
#: The headers that the API has, by their names in lower case, and the members that boto3 sends them by.
HEADERS = {
    "accept": "Accept",
    "content-type": "ContentType",
    "x-amzn-sagemaker-custom-attributes": "CustomAttributes",
    "x-amzn-sagemaker-target-container-hostname": "TargetContainerHostname",
    "x-amzn-sagemaker-target-model": "TargetModel",
}


class EndpointTarget:
    """Invokes a variant of an endpoint; may be used by several threads."""

    def __init__(
        self,
        client: Any,
        endpoint_name: str,
        variant_name: str | None,
        body: bytes,
        headers: Mapping[str, str],
        *,
        streams: bool,
    ) -> None:
        """``client`` is one of sagemaker-runtime with ``CONFIG``; without ``variant_name`` SageMaker chooses by weight.

        Raises ``ValueError`` for a header that the API does not have; the text says which it has.
        """
        unknown = [name for name in headers if name.lower() not in HEADERS]
        if unknown:
            raise ValueError(f"InvokeEndpoint has no header {unknown[0]}; it has {', '.join(HEADERS)}")
        self._client = client
        self._arguments = {
            "EndpointName": endpoint_name,
            "Body": body,
            **({"TargetVariant": variant_name} if variant_name else {}),
            **{HEADERS[name.lower()]: value for name, value in headers.items()},
        }
        self._streams = streams

    def send(self) -> Iterator[bytes]:
        """Send the body and yield the answer as it comes. Raises RequestFailedError."""
        try:
            if self._streams:
                answer = self._client.invoke_endpoint_with_response_stream(**self._arguments)
                # Failures within the stream are raised as EventStreamError.
                for event in answer["Body"]:
                    yield event.get("PayloadPart", {}).get("Bytes", b"")
            else:
                yield self._client.invoke_endpoint(**self._arguments)["Body"].read()
        except (ClientError, EventStreamError) as error:
            allow = f". {self._allow()}" if is_denied(error) else ""
            raise RequestFailedError(code_of(error), f"{error}{allow}") from None
        except BotoCoreError as error:
            raise RequestFailedError(type(error).__name__, str(error)) from None

    def _allow(self) -> str:
        action = "InvokeEndpointWithResponseStream" if self._streams else "InvokeEndpoint"
        return (
            f"The test needs sagemaker:{action}: ask the administrator of the account for it, "
            "or name another profile with --profile"
        )
