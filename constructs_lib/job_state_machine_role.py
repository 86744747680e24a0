"""The role of a state machine of jobs: start, describe and stop its own jobs, write its own log, tell people."""

from dataclasses import dataclass

from aws_cdk import Stack
from aws_cdk import aws_iam as iam
from constructs import Construct

from constructs_lib.job_state_machine_definition import JobKind
from constructs_lib.policies import Statement, allow, policy_document, service_trust
from constructs_lib.references import FoundationReferences
from constructs_lib.wildcards import acknowledge_wildcards

# The rule through which Step Functions learns that a .sync job has ended; AWS gives it this name.
# https://docs.aws.amazon.com/step-functions/latest/dg/sagemaker-iam.html, and of tuning jobs sample-hyper-tuning.html there
SYNC_RULE_NAME = "StepFunctionsGetEventsForSageMaker{}JobsRule"

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
class JobStateMachineRoleProps:
    """The machine is named by ARN because its role exists before it.

    ``passed_role_arn`` is the role that the requests of its jobs name. It is None for a transform job, which runs as the role
    of its model: CreateTransformJob has no member for a role. ``reads_metrics`` lets it look at the metrics of its jobs.
    ``training_plan_arn`` is where its jobs have instances reserved.
    """

    state_machine_arn: str
    kind: JobKind
    job_name_prefix: str
    passed_role_arn: str | None
    reads_metrics: bool
    foundation: FoundationReferences
    training_plan_arn: str | None = None


class JobStateMachineRole(Construct):
    """A role that one state machine assumes."""

    def __init__(self, scope: Construct, construct_id: str, *, props: JobStateMachineRoleProps) -> None:
        super().__init__(scope, construct_id)
        stack = Stack.of(self)
        noun = props.kind.noun
        partition, region, account = stack.partition, stack.region, stack.account
        job_arn = (
            f"arn:{partition}:sagemaker:{region}:{account}:{props.kind.arn_noun}/{props.job_name_prefix}-*"
        )
        # A plan is used with the capacity in it: https://docs.aws.amazon.com/sagemaker/latest/dg/training-plan-iam-permissions.html
        plan_arn = props.training_plan_arn
        reserved_arn = f"arn:{partition}:sagemaker:{region}:{account}:reserved-capacity/*"
        policy = iam.CfnManagedPolicy(
            self,
            "Policy",
            description=f"Orchestration of {props.kind.words} jobs {props.job_name_prefix}-*",
            policy_document=policy_document(
                [
                    allow(
                        (
                            "sagemaker:AddTags",
                            f"sagemaker:Create{noun}Job",
                            f"sagemaker:Describe{noun}Job",
                            "sagemaker:ListTags",
                            f"sagemaker:Stop{noun}Job",
                        ),
                        job_arn,
                    ),
                    *_pass_role(props.passed_role_arn),
                    *(
                        [allow(("sagemaker:CreateTrainingJob",), [plan_arn, reserved_arn])]
                        if plan_arn
                        else []
                    ),
                    allow(
                        ("events:DescribeRule", "events:PutRule", "events:PutTargets"),
                        f"arn:{partition}:events:{region}:{account}:rule/"
                        f"{SYNC_RULE_NAME.format(props.kind.sync_noun or noun)}",
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
                    allow(("sns:Publish",), props.foundation.alarm_topic_arn),
                    # Who publishes to an encrypted topic: https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html
                    allow(
                        ("kms:Decrypt", "kms:GenerateDataKey"),
                        props.foundation.operations_key_arn,
                        {"StringEquals": {"kms:ViaService": f"sns.{region}.amazonaws.com"}},
                    ),
                    *([allow(("cloudwatch:GetMetricStatistics",), "*")] if props.reads_metrics else []),
                    allow(_LOG_DELIVERY_ACTIONS, "*"),
                    allow(_TRACING_ACTIONS, "*"),
                ]
            ),
        )
        acknowledge_wildcards(
            policy,
            (
                "*",
                "The log delivery and X-Ray actions that Step Functions calls to write its own log and traces, and "
                "cloudwatch:GetMetricStatistics, support no resource-level permissions.",
            ),
            (
                job_arn,
                f"Every attempt starts a {props.kind.words} job with a new unique name; the prefix holds the role to the "
                "jobs of this workload.",
            ),
            *(
                [
                    (
                        reserved_arn,
                        "AWS names the capacity that it reserves; the same request must name the training plan.",
                    )
                ]
                if plan_arn
                else []
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


def _pass_role(role_arn: str | None) -> list[Statement]:
    if role_arn is None:
        return []
    condition = {"StringEquals": {"iam:PassedToService": "sagemaker.amazonaws.com"}}
    return [allow(("iam:PassRole",), role_arn, condition)]
