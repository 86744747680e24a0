"""Policy documents of the training roles as plain data."""

from collections.abc import Mapping

Statement = dict[str, object]


def allow(
    actions: tuple[str, ...], resources: str | list[str], condition: Mapping[str, object] | None = None
) -> Statement:
    """Return an Allow statement."""
    statement: Statement = {"Effect": "Allow", "Action": list(actions), "Resource": resources}
    if condition is not None:
        statement["Condition"] = condition
    return statement


def policy_document(statements: list[Statement]) -> dict[str, object]:
    """Return the statements as an IAM policy document."""
    return {"Version": "2012-10-17", "Statement": statements}


def service_trust(service: str, condition: Mapping[str, object]) -> dict[str, object]:
    """Let a service assume a role, but only on behalf of what the condition names (the confused-deputy guard).

    https://docs.aws.amazon.com/IAM/latest/UserGuide/confused-deputy.html
    """
    return policy_document(
        [
            {
                "Effect": "Allow",
                "Principal": {"Service": service},
                "Action": "sts:AssumeRole",
                "Condition": condition,
            }
        ]
    )
