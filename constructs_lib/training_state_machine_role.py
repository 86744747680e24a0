"""The role of a training state machine: start, describe and stop its own jobs, write its own log."""

from dataclasses import dataclass

from aws_cdk import Stack
from aws_cdk import aws_iam as iam
from constructs import Construct

from constructs_lib.policies import allow, policy_document, service_trust
from constructs_lib.references import FoundationReferences
from constructs_lib.wildcards import acknowledge_wildcards

# The rule through which Step Functions learns that a .sync job has ended; AWS gives it this name.
# https://docs.aws.amazon.com/step-functions/latest/dg/connect-sagemaker.html
SYNC_RULE_NAME = "StepFunctionsGetEventsForSageMakerTrainingJobsRule"

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
class TrainingStateMachineRoleProps:
    """The machine is named by ARN because its role exists before it."""

    state_machine_arn: str
    job_name_prefix: str
    training_role_arn: str
    foundation: FoundationReferences


class TrainingStateMachineRole(Construct):
    """A role that one state machine assumes."""

    def __init__(self, scope: Construct, construct_id: str, *, props: TrainingStateMachineRoleProps) -> None:
        super().__init__(scope, construct_id)
        stack = Stack.of(self)
        partition, region, account = stack.partition, stack.region, stack.account
        job_arn = f"arn:{partition}:sagemaker:{region}:{account}:training-job/{props.job_name_prefix}-*"
        policy = iam.CfnManagedPolicy(
            self,
            "Policy",
            description=f"Orchestration of training jobs {props.job_name_prefix}-*",
            policy_document=policy_document(
                [
                    allow(
                        (
                            "sagemaker:AddTags",
                            "sagemaker:CreateTrainingJob",
                            "sagemaker:DescribeTrainingJob",
                            "sagemaker:ListTags",
                            "sagemaker:StopTrainingJob",
                        ),
                        job_arn,
                    ),
                    allow(
                        ("iam:PassRole",),
                        props.training_role_arn,
                        {"StringEquals": {"iam:PassedToService": "sagemaker.amazonaws.com"}},
                    ),
                    allow(
                        ("events:DescribeRule", "events:PutRule", "events:PutTargets"),
                        f"arn:{partition}:events:{region}:{account}:rule/{SYNC_RULE_NAME}",
                    ),
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
                    allow(_LOG_DELIVERY_ACTIONS, "*"),
                    allow(_TRACING_ACTIONS, "*"),
                ]
            ),
        )
        acknowledge_wildcards(
            policy,
            (
                "*",
                "The log delivery and X-Ray actions that Step Functions calls to write its own log and traces "
                "support no resource-level permissions.",
            ),
            (
                job_arn,
                "Every attempt starts a training job with a new unique name; the prefix holds the role to the "
                "jobs of this workload.",
            ),
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
