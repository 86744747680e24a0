"""Who may invoke an endpoint: what that takes, for any grantee of the CDK and for roles that are named.

Only IAM opens an endpoint. The policy that SageMaker attaches to one admits other accounts through an inference router alone
(https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_PutEndpointPolicy.html), and CloudFormation has no type for it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from aws_cdk import CfnOutput
from aws_cdk import aws_iam as iam
from constructs import Construct

from constructs_lib.endpoints.answered_later import caller_statements, named_by_callers
from constructs_lib.endpoints.asynchronous_inference import SAGEMAKER, AsynchronousInference
from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.policies.statements import (
    INVOKE,
    INVOKE_ASYNC,
    INVOKE_STREAM,
    Statement,
    allow,
    policy_document,
)
from constructs_lib.policies.wildcards import acknowledge_wildcards
from sizewell.facts.iam import trust_of


def invoke_statements(endpoint_arn: str, *, streams: bool = False) -> list[Statement]:
    """Return what a caller needs who waits for the answer, and may read it as a stream where the model writes one."""
    return [allow((INVOKE, INVOKE_STREAM) if streams else (INVOKE,), endpoint_arn)]


def invoke_later_statements(
    endpoint_arn: str, asynchronous: AsynchronousInference, foundation: FoundationReferences
) -> list[Statement]:
    """Return what a caller needs who puts a request into S3, invokes an endpoint of SageMaker, and reads the answer."""
    return [allow((INVOKE_ASYNC,), endpoint_arn), *caller_statements(asynchronous, foundation)]


def grant(grantee: iam.IGrantable, statements: Sequence[Statement]) -> iam.Grant:
    """Add the statements to the policy of a grantee of this account."""
    grants = (
        iam.Grant.add_to_principal(
            grantee=grantee,
            actions=statement["Action"],
            resource_arns=_resources(statement),
            conditions=statement.get("Condition"),
        )
        for statement in statements
    )
    return reduce(lambda first, second: first.combine(second), grants)


@dataclass(frozen=True, kw_only=True)
class EndpointAccessProps:
    """What callers may do, and who they are.

    ``role_arns`` are roles of the account, which get a policy attached; ``role_arns_elsewhere`` those of other accounts, which
    may assume a role that is made for them. ``answered_by`` is what answers them later.
    """

    statements: Sequence[Statement]
    role_arns: Sequence[str] = ()
    role_arns_elsewhere: Sequence[str] = ()
    answered_by: str = SAGEMAKER


class EndpointAccess(Construct):
    """One policy for all who may invoke an endpoint, and a role that those of other accounts assume.

    CloudFormation attaches the policy to the roles of the account, and changes nothing else of them.
    """

    def __init__(self, scope: Construct, construct_id: str, *, props: EndpointAccessProps) -> None:
        super().__init__(scope, construct_id)
        policy = iam.CfnManagedPolicy(
            self,
            "Policy",
            description="What invoking the endpoint takes",
            policy_document=policy_document(list(props.statements)),
            roles=[arn.rpartition("/")[2] for arn in props.role_arns] or None,
        )
        if objects := [
            arn for statement in props.statements for arn in _resources(statement) if arn.endswith("/*")
        ]:
            reason = named_by_callers(props.answered_by)
            acknowledge_wildcards(policy, *((arn, reason) for arn in objects))
        if props.role_arns_elsewhere:
            role = iam.CfnRole(
                self,
                "Role",
                description="Roles of other accounts assume it to invoke the endpoint",
                assume_role_policy_document=trust_of(props.role_arns_elsewhere),
                managed_policy_arns=[policy.ref],
            )
            output = CfnOutput(
                self,
                "RoleArn",
                value=role.attr_arn,
                description="What callers of other accounts assume to invoke the endpoint",
            )
            output.override_logical_id("InvokeRoleArn")


def _resources(statement: Statement) -> list[str]:
    resources = statement["Resource"]
    return [resources] if isinstance(resources, str) else resources
