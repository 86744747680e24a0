"""Policy documents as plain data."""

from collections.abc import Mapping, Sequence
from typing import Any

Statement = dict[str, Any]
#: What writes to a log group that is there.
WRITE_LOGS = ("logs:CreateLogStream", "logs:PutLogEvents")


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
