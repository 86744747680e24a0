"""The AWS services that a VPC reaches through interface endpoints, by the name that comes after the region."""

from functools import cache
from pathlib import Path

#: One a line; from aws-cdk-lib 2.275.0, class InterfaceVpcEndpointAwsService: ``python -m tools.benchmarks.interface_endpoints``.
TABLE = Path(__file__).with_name("interface_endpoints.txt")
#: What invokes an endpoint: https://docs.aws.amazon.com/sagemaker/latest/dg/interface-vpc-endpoint.html
RUNTIME = "sagemaker.runtime"
#: What invokes a function: https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc-endpoints.html
FUNCTIONS = "lambda"
#: What calls a private API of API Gateway: https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-private-apis.html
PRIVATE_APIS = "execute-api"
#: What pulls an image through the VPC; its layers come from S3 (https://docs.aws.amazon.com/AmazonECR/latest/userguide/vpc-endpoints.html).
REGISTRY = "ecr.dkr"
#: What instances and tasks of ECS call, beside the logs; layers of images and models come from S3
#: (https://docs.aws.amazon.com/AmazonECS/latest/developerguide/vpc-endpoints.html).
OF_TASKS = ("ecr.api", REGISTRY, "ecs", "ecs-agent", "ecs-telemetry")
#: What records runs in an MLflow tracking server; its name begins otherwise than those of the table
#: (https://docs.aws.amazon.com/sagemaker/latest/dg/mlflow-interface-endpoint-create.html).
EXPERIMENTS = "experiments"
EXPERIMENTS_PREFIX = "aws.sagemaker"
#: VPC quota "Interface and Gateway Load Balancer endpoints per VPC".
MAX_INTERFACE_ENDPOINTS = 50


@cache
def interface_endpoint_services() -> tuple[str, ...]:
    """Return every service that has an interface endpoint, sorted."""
    return tuple(sorted((*TABLE.read_text("utf-8").split(), EXPERIMENTS)))
