"""The role of a state machine: what its states do, write its own log, tell people."""

from dataclasses import dataclass, field

from aws_cdk import Stack
from aws_cdk import aws_iam as iam
from constructs import Construct

from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.policies.statements import Statement, allow, policy_document, service_trust
from constructs_lib.policies.wildcards import acknowledge_wildcards

# Vended log delivery: https://docs.aws.amazon.com/step-functions/latest/dg/cw-logs.html
_LOG_DELIVERY_ACTIONS = (
    "logs:CreateLogDelivery",
    "logs:DeleteLogDelivery",
    "logs:DescribeLogGroups",
    "logs:DescribeResourcePolicies",
    "logs:GetLogDelivery",
    "logs:ListLogDeliveries",
    "logs:PutResourcePolicy",
    "logs:UpdateLogDelivery",
)
# https://docs.aws.amazon.com/step-functions/latest/dg/concepts-xray-tracing.html
_TRACING_ACTIONS = (
    "xray:GetSamplingRules",
    "xray:GetSamplingTargets",
    "xray:PutTelemetryRecords",
    "xray:PutTraceSegments",
)


@dataclass(frozen=True, kw_only=True)
class Permissions:
    """What the states of a machine need: statements, and for each resource in them that is a wildcard the reason."""

    description: str
    statements: list[Statement]
    wildcards: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class StateMachineRoleProps:
    """The machine is named by ARN because its role exists before it."""

    state_machine_arn: str
    permissions: Permissions
    foundation: FoundationReferences


class StateMachineRole(Construct):
    """A role that one state machine assumes."""

    def __init__(self, scope: Construct, construct_id: str, *, props: StateMachineRoleProps) -> None:
        super().__init__(scope, construct_id)
        stack = Stack.of(self)
        partition, region, account = stack.partition, stack.region, stack.account
        policy = iam.CfnManagedPolicy(
            self,
            "Policy",
            description=props.permissions.description,
            policy_document=policy_document(
                [
                    *props.permissions.statements,
                    # The machine's definition and history, and what it hands to log delivery, are encrypted with the
                    # data key: https://docs.aws.amazon.com/step-functions/latest/dg/encryption-at-rest.html
                    allow(
                        ("kms:Decrypt", "kms:GenerateDataKey"),
                        props.foundation.data_key_arn,
                        {
                            "StringEquals": {
                                "kms:EncryptionContext:aws:states:stateMachineArn": props.state_machine_arn
                            }
                        },
                    ),
                    allow(
                        ("kms:GenerateDataKey",),
                        props.foundation.data_key_arn,
                        {
                            "StringLike": {
                                "kms:EncryptionContext:SourceArn": (
                                    f"arn:{partition}:logs:{region}:{account}:*"
                                )
                            }
                        },
                    ),
                    allow(("sns:Publish",), props.foundation.alarm_topic_arn),
                    # Who publishes to an encrypted topic: https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html
                    allow(
                        ("kms:Decrypt", "kms:GenerateDataKey"),
                        props.foundation.operations_key_arn,
                        {"StringEquals": {"kms:ViaService": f"sns.{region}.amazonaws.com"}},
                    ),
                    allow(_LOG_DELIVERY_ACTIONS, "*"),
                    allow(_TRACING_ACTIONS, "*"),
                ]
            ),
        )
        acknowledge_wildcards(
            policy,
            (
                "*",
                "The log delivery and X-Ray actions that Step Functions calls to write its own log and traces, "
                "cloudwatch:GetMetricStatistics, fsx:DescribeFileSystems, batch:DescribeJobs and batch:ListJobs support no "
                "resource-level permissions.",
            ),
            *props.permissions.wildcards.items(),
        )
        role = iam.CfnRole(
            self,
            "Role",
            assume_role_policy_document=service_trust(
                "states.amazonaws.com",
                {
                    "StringEquals": {"aws:SourceAccount": account},
                    "ArnEquals": {"aws:SourceArn": props.state_machine_arn},
                },
            ),
            managed_policy_arns=[policy.ref],
        )
        self.role_arn = role.attr_arn
