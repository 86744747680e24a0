"""The AWS services that a VPC reaches through interface endpoints, by the name that comes after the region."""

from functools import cache
from pathlib import Path

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
#: VPC quota "Interface and Gateway Load Balancer endpoints per VPC".
MAX_INTERFACE_ENDPOINTS = 50


@cache
def interface_endpoint_services() -> tuple[str, ...]:
    """Return every service that has an interface endpoint, sorted."""
    return tuple(TABLE.read_text("utf-8").split())
