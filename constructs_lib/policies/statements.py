"""Policy documents as plain data, and a role of a service with one policy of its own."""

from collections.abc import Mapping, Sequence
from typing import Any

from aws_cdk import aws_iam as iam
from constructs import Construct

Statement = dict[str, Any]
#: What writes to a log group that is there.
WRITE_LOGS = ("logs:CreateLogStream", "logs:PutLogEvents")
#: What invokes an endpoint: for an answer now, for one later, and for one as a stream.
INVOKE, INVOKE_ASYNC, INVOKE_STREAM = (
    "sagemaker:InvokeEndpoint",
    "sagemaker:InvokeEndpointAsync",
    "sagemaker:InvokeEndpointWithResponseStream",
)


def allow(
    actions: tuple[str, ...], resources: str | list[str], condition: Mapping[str, object] | None = None
) -> Statement:
    """Return an Allow statement."""
    statement: Statement = {"Effect": "Allow", "Action": list(actions), "Resource": resources}
    if condition is not None:
        statement["Condition"] = condition
    return statement


def one_or_all(resources: Sequence[Any]) -> Any:
    """Return the resources of a statement, a single one without a list around it."""
    return resources[0] if len(resources) == 1 else list(resources)


def policy_document(statements: list[Statement]) -> dict[str, object]:
    """Return the statements as an IAM policy document."""
    return {"Version": "2012-10-17", "Statement": statements}


def service_trust(service: str, condition: Mapping[str, object] | None = None) -> dict[str, object]:
    """Let a service assume a role; with a condition, only on behalf of what it names (the confused-deputy guard).

    https://docs.aws.amazon.com/IAM/latest/UserGuide/confused-deputy.html
    """
    statement: Statement = {
        "Effect": "Allow",
        "Principal": {"Service": service},
        "Action": "sts:AssumeRole",
    }
    if condition is not None:
        statement["Condition"] = condition
    return policy_document([statement])


def service_role(
    scope: Construct,
    construct_id: str,
    service: str,
    statements: list[Statement],
    trust_condition: Mapping[str, object] | None = None,
) -> iam.CfnRole:
    """Add the role and, under its id with ``Policy`` behind it, what it may do."""
    policy = iam.CfnManagedPolicy(scope, f"{construct_id}Policy", policy_document=policy_document(statements))
    return iam.CfnRole(
        scope,
        construct_id,
        assume_role_policy_document=service_trust(service, trust_condition),
        managed_policy_arns=[policy.ref],
    )
