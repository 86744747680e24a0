"""Where a container image comes from: the ECR repository that a role must be allowed to pull."""

import re

from aws_cdk import Stack
from constructs import Construct

_ECR_URI = re.compile(
    r"(?P<account>\d{12})\.dkr\.ecr\.(?P<region>[a-z0-9-]+)\.amazonaws\.com(\.cn)?/"
    r"(?P<repository>[a-z0-9]+([._/-]+[a-z0-9]+)*)([:@].+)?"
)


def image_repository_arn(scope: Construct, image_uri: str) -> str:
    """Return the ARN of the ECR repository of an image, in the partition of the stack.

    Raises ValueError for an address that is not in Amazon ECR, and for a token, which only deployment resolves.
    """
    found = _ECR_URI.fullmatch(image_uri)
    if found is None:
        raise ValueError(
            "image_uri must be an address in Amazon ECR such as "
            "111122223333.dkr.ecr.us-east-1.amazonaws.com/chat:1.0, or image_repository_arn must be given beside it; "
            f"got {image_uri!r}"
        )
    partition = Stack.of(scope).partition
    return f"arn:{partition}:ecr:{found['region']}:{found['account']}:repository/{found['repository']}"
