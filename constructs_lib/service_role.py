"""A role that a service of AWS assumes, with one policy of its own."""

from collections.abc import Mapping

from aws_cdk import aws_iam as iam
from constructs import Construct

from constructs_lib.policies import Statement, policy_document, service_trust


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
