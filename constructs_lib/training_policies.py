"""Policy documents of the training roles as plain data, and the reasons behind their wildcards."""

from collections.abc import Mapping
from typing import Any

from aws_cdk import Stack
from aws_cdk import aws_iam as iam

from constructs_lib.acknowledge import acknowledge

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


def acknowledge_wildcards(policy: iam.CfnManagedPolicy, reasons: Mapping[str, str]) -> None:
    """Acknowledge the wildcard resources of a policy, each with its own reason, on the policy itself.

    The keys are the resources as they stand in the statements. A finding names its resource with references written
    as ``<LogicalId>``, so tokens are resolved first, all in one call to the kernel.
    """
    resolved = Stack.of(policy).resolve(list(reasons))
    for resource, reason in zip(resolved, reasons.values(), strict=True):
        acknowledge(policy, f"AwsSolutions-IAM5[Resource::{_flatten(resource)}]", reason)


def _flatten(value: Any) -> str:
    """Write a resolved CloudFormation value the way cdk-nag 3 does in its finding ids."""
    match value:
        case str():
            return value
        case {"Ref": str(name)}:
            return f"<{name}>"
        case {"Fn::GetAtt": [name, attribute]}:
            return f"<{name}.{attribute}>"
        case {"Fn::Join": [delimiter, parts]}:
            return str(delimiter).join(_flatten(part) for part in parts)
    raise TypeError(f"a resource of a policy is a string, Ref, Fn::GetAtt or Fn::Join, not {value!r}")
