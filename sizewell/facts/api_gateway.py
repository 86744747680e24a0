"""What REST APIs of API Gateway take, and the policy of a private one.

https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-execution-service-limits-table.html, and of all APIs
of an account: https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html
"""

from collections.abc import Sequence
from typing import Any

#: How long it waits for what it calls: the default of a quota that AWS raises for regional and private APIs.
INTEGRATION_TIMEOUT_S = 29
#: Of a request and of an answer.
MAX_PAYLOAD_MB = 10
#: Requests at once of all APIs of an account and region.
MAX_BURST_REQUESTS = 5000
MAX_RESOURCE_POLICY_CHARACTERS = 8192


def private_api_policy(role_arns: Sequence[str], vpc_id: str) -> dict[str, Any]:
    """Return the resource policy of an API that exactly these roles call, through the VPC endpoints of one VPC.

    Without what it denies, other roles of the account could call by a policy of theirs:
    https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-authorization-flow.html. The condition keys:
    https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-resource-policies-aws-condition-keys.html
    """
    # Of this API: API Gateway puts its ARN before that.
    call = {"Action": "execute-api:Invoke", "Resource": "execute-api:/*"}
    refused = {"Effect": "Deny", "Principal": "*", **call}
    return {
        "Version": "2012-10-17",
        "Statement": [
            {"Effect": "Allow", "Principal": {"AWS": list(role_arns)}, **call},
            {**refused, "Condition": {"ArnNotEquals": {"aws:PrincipalArn": list(role_arns)}}},
            {**refused, "Condition": {"StringNotEquals": {"aws:SourceVpc": vpc_id}}},
        ],
    }
