"""A Step Functions state machine that runs SageMaker jobs: it starts, describes and stops its own, and no others."""

from collections.abc import Mapping
from dataclasses import dataclass

from aws_cdk import RemovalPolicy, Stack
from constructs import Construct

from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.jobs.job_kind import JobKind
from constructs_lib.jobs.job_role import file_system_statements
from constructs_lib.jobs.job_state_machine_definition import TIMEOUT_PLACEHOLDER
from constructs_lib.policies.statements import Statement, allow
from constructs_lib.workflows.state_language import State
from constructs_lib.workflows.state_machine_role import Permissions
from constructs_lib.workflows.workflow_state_machine import WorkflowStateMachine, WorkflowStateMachineProps
from sizewell.facts.file_systems import FileSystemType

# The rule through which Step Functions learns that a .sync job has ended; AWS gives it this name.
# https://docs.aws.amazon.com/step-functions/latest/dg/sagemaker-iam.html, and of tuning jobs sample-hyper-tuning.html there
SYNC_RULE_NAME = "StepFunctionsGetEventsForSageMaker{}JobsRule"


@dataclass(frozen=True, kw_only=True)
class JobStateMachineProps:
    """People start the machine by ``state_machine_name``, and hear of it by ``workload_name``; its log is kept
    ``log_retention_days``.

    ``definition`` is literal, with a placeholder ``${NAME}`` for each of ``values``. ``passed_role_arn`` is the role that its
    requests name; None where they name none, as of a transform job, which runs as the role of its model. ``removal_policy`` says
    what becomes of the log group when the stack goes. ``report_success`` tells people of executions that succeeded, too.
    ``reads_metrics`` lets it look at metrics of its jobs. ``training_plan_arn`` is where its jobs have instances reserved,
    ``file_systems`` are the types and ids of those that they mount.
    """

    state_machine_name: str
    workload_name: str
    kind: JobKind
    job_name_prefix: str
    definition: State
    values: Mapping[str, str]
    passed_role_arn: str | None
    log_retention_days: int
    removal_policy: RemovalPolicy
    foundation: FoundationReferences
    report_success: bool = False
    reads_metrics: bool = False
    training_plan_arn: str | None = None
    file_systems: tuple[tuple[FileSystemType, str], ...] = ()


class JobStateMachine(WorkflowStateMachine):
    """A machine whose role may do no more than its jobs need."""

    def __init__(self, scope: Construct, construct_id: str, *, props: JobStateMachineProps) -> None:
        super().__init__(
            scope,
            construct_id,
            props=WorkflowStateMachineProps(
                state_machine_name=props.state_machine_name,
                workload_name=props.workload_name,
                noun=props.kind.workflow,
                definition=props.definition,
                values={TIMEOUT_PLACEHOLDER: props.kind.task_timeout, **props.values},
                permissions=_permissions(Stack.of(scope), props),
                log_retention_days=props.log_retention_days,
                removal_policy=props.removal_policy,
                foundation=props.foundation,
                report_success=props.report_success,
            ),
        )


def _permissions(stack: Stack, props: JobStateMachineProps) -> Permissions:
    kind, noun = props.kind, props.kind.noun
    where = f"{stack.region}:{stack.account}"
    job_arn = f"arn:{stack.partition}:sagemaker:{where}:{kind.arn_noun}/{props.job_name_prefix}-*"
    # A plan is used with the capacity in it: https://docs.aws.amazon.com/sagemaker/latest/dg/training-plan-iam-permissions.html
    plan_arn = props.training_plan_arn
    reserved_arn = f"arn:{stack.partition}:sagemaker:{where}:reserved-capacity/*"
    return Permissions(
        description=f"Orchestration of {kind.words} jobs {props.job_name_prefix}-*",
        statements=[
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
            *([allow(("sagemaker:CreateTrainingJob",), [plan_arn, reserved_arn])] if plan_arn else []),
            allow(
                ("events:DescribeRule", "events:PutRule", "events:PutTargets"),
                f"arn:{stack.partition}:events:{where}:rule/{SYNC_RULE_NAME.format(kind.sync_noun or noun)}",
            ),
            *([allow(("cloudwatch:GetMetricStatistics",), "*")] if props.reads_metrics else []),
            *file_system_statements(stack, props.file_systems, mounts=False),
        ],
        wildcards={
            job_arn: f"Every attempt starts a {kind.words} job with a new unique name; the prefix holds the role to the "
            "jobs of this workload.",
            **(
                {
                    reserved_arn: "AWS names the capacity that it reserves; the same request must name the training plan."
                }
                if plan_arn
                else {}
            ),
        },
    )


def _pass_role(role_arn: str | None) -> list[Statement]:
    if role_arn is None:
        return []
    condition = {"StringEquals": {"iam:PassedToService": "sagemaker.amazonaws.com"}}
    return [allow(("iam:PassRole",), role_arn, condition)]
