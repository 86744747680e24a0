"""What answers at an endpoint while a load test runs."""

from dataclasses import dataclass

from botocore.exceptions import ClientError

from sizewell.account.after.endpoints import variants_by_name
from sizewell.account.aws_account import AwsAccount


@dataclass(frozen=True)
class AnsweringVariant:
    """The instances of a variant that is in service."""

    instance_type: str
    instance_count: int


def answering_variant(aws: AwsAccount, endpoint_name: str, variant_name: str) -> AnsweringVariant | str:
    """Return the instances that answer now, or why none does, or none that can be named.

    Raises the errors of botocore.
    """
    client = aws.client("sagemaker")
    try:
        endpoint = client.describe_endpoint(EndpointName=endpoint_name)
    except ClientError as error:
        if "Could not find" not in str(error):
            raise
        return f"the endpoint {endpoint_name} is not deployed in {aws.where}"
    if endpoint["EndpointStatus"] != "InService":
        return (
            f"the endpoint {endpoint_name} is {endpoint['EndpointStatus']}: measure it when it is InService"
        )
    configured = client.describe_endpoint_config(EndpointConfigName=endpoint["EndpointConfigName"])
    instance_type = variants_by_name(configured).get(variant_name, {}).get("InstanceType")
    count = variants_by_name(endpoint).get(variant_name, {}).get("CurrentInstanceCount")
    if not instance_type or not count:
        return f"the endpoint {endpoint_name} has no instances of one type in its variant {variant_name}"
    return AnsweringVariant(instance_type, count)
