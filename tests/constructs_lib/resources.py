"""What tests read from a stack: the properties of its resources, and the statements of its policies."""

from collections.abc import Callable, Mapping
from typing import Any

Json = dict[str, Any]
#: The fixtures ``only`` and ``resources``: by type, the properties of the one resource, or of all by logical id.
Only = Callable[[str], Json]
Resources = Callable[[str], dict[str, Json]]


def statements_by_sid(only: Only) -> dict[str, Json]:
    """Return the statements of the one managed policy."""
    statements = only("AWS::IAM::ManagedPolicy")["PolicyDocument"]["Statement"]
    return {statement["Sid"]: statement for statement in statements}


def of_type(template: Mapping[str, Any], resource_type: str) -> list[Json]:
    """Return the properties of all resources of a type."""
    return [r["Properties"] for r in template["Resources"].values() if r["Type"] == resource_type]


def statements_of(template: Mapping[str, Any], service: str) -> list[Json]:
    """Return the statements of the one managed policy that hangs on the role of a service."""
    (role,) = [
        role
        for role in of_type(template, "AWS::IAM::Role")
        if role["AssumeRolePolicyDocument"]["Statement"][0]["Principal"]["Service"] == service
    ]
    (policy,) = role["ManagedPolicyArns"]
    statements: list[Json] = template["Resources"][policy["Ref"]]["Properties"]["PolicyDocument"]["Statement"]
    return statements


def statements_by_action(template: Mapping[str, Any], service: str) -> dict[tuple[str, ...], Json]:
    """Return the same statements by what they allow."""
    return {tuple(statement["Action"]): statement for statement in statements_of(template, service)}
