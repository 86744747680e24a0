"""The AWS services that a VPC reaches through interface endpoints."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from sizewell.config.faults import near_match

#: One a line; from aws-cdk-lib 2.275.0, class InterfaceVpcEndpointAwsService: ``python -m tools.benchmarks.interface_endpoints``.
TABLE = Path(__file__).with_name("interface_endpoints.txt")
#: What containers and jobs in private subnets need. S3 has a gateway endpoint, always.
DEFAULT_INTERFACE_ENDPOINTS = (
    "ecr.api",
    "ecr.dkr",
    "kms",
    "logs",
    "monitoring",
    "sagemaker.api",
    "sagemaker.runtime",
    "sts",
)


def endpoint_fault(services: Sequence[str]) -> tuple[int, str] | None:
    """Return the index of the first service that cannot have an endpoint, and why; None when all can."""
    for index, service in enumerate(services):
        if service in services[:index]:
            return index, f"{service} stands twice"
        if service == "s3":
            return index, "s3 has a gateway endpoint already, which costs nothing; remove it"
        if service not in DEFAULT_INTERFACE_ENDPOINTS and service not in _known_services():
            match = near_match(service, _known_services())
            return index, "AWS has no interface endpoint of this name" + (
                f"; did you mean {match}?" if match else ""
            )
    return None


@lru_cache(maxsize=1)
def _known_services() -> tuple[str, ...]:
    return tuple(TABLE.read_text("utf-8").split())
