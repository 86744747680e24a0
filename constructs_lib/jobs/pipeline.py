"""Everything that one pipeline needs, in one construct."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from aws_cdk import RemovalPolicy, Stack
from aws_cdk import aws_sagemaker as sagemaker
from constructs import Construct

from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.jobs.pipeline_definition import RegisterStep, RunStep, pipeline_definition
from constructs_lib.notifications.event_rule import ToldEvents, tell_of_events
from constructs_lib.notifications.message import message
from constructs_lib.policies.statements import Statement, allow, one_or_all
from constructs_lib.workflows.schedule_expression import TrainingScheduleTiming
from constructs_lib.workflows.scheduled_workflow import schedule_and_watch
from constructs_lib.workflows.starting import start_statements
from constructs_lib.workflows.state_machine_role import Permissions
from constructs_lib.workflows.workflow_events import StartEvents
from constructs_lib.workflows.workflow_state_machine import WorkflowStateMachine, WorkflowStateMachineProps

#: What the workflow does, in messages.
NOUN = "pipeline"
# The rule through which Step Functions learns that a machine has ended; AWS gives it this name.
# https://docs.aws.amazon.com/step-functions/latest/dg/stepfunctions-iam.html
SYNC_RULE_NAME = "StepFunctionsGetEventsForStepFunctionsExecutionRule"


@dataclass(frozen=True, kw_only=True)
class PipelineProps:
    """A pipeline: its steps in ``levels``, the name people start it by, and when it starts by itself.

    The machines of the steps are of the same account and region, and encrypted with the data key. An execution is ended after
    ``time_limit_s``. ``schedule`` None means that only people start the pipeline. ``log_retention_days`` and
    ``removal_policy`` are for the log of its executions, which outlives its stack; so do the groups of its models, always.
    ``report_success`` tells the alarm topic of executions that succeeded, too, with what came of their steps.
    """

    workload_name: str
    state_machine_name: str
    levels: Sequence[Sequence[RunStep | RegisterStep]]
    time_limit_s: int
    foundation: FoundationReferences
    schedule: TrainingScheduleTiming | None = None
    events: StartEvents | None = None
    log_retention_days: int = 90
    removal_policy: RemovalPolicy = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE
    report_success: bool = False


class Pipeline(Construct):
    """State machine, schedule, alarms and model groups of one pipeline."""

    def __init__(self, scope: Construct, construct_id: str, *, props: PipelineProps) -> None:
        super().__init__(scope, construct_id)
        stack, foundation = Stack.of(self), props.foundation
        steps = tuple(chain.from_iterable(props.levels))
        states_arn = f"arn:{stack.partition}:states:{stack.region}:{stack.account}"
        machine_arns = {
            step.state_machine_name: f"{states_arn}:stateMachine:{step.state_machine_name}"
            for step in steps
            if isinstance(step, RunStep)
        }
        machine = WorkflowStateMachine(
            self,
            "Workflow",
            props=WorkflowStateMachineProps(
                state_machine_name=props.state_machine_name,
                workload_name=props.workload_name,
                noun=NOUN,
                definition=pipeline_definition(
                    props.levels,
                    time_limit_s=props.time_limit_s,
                    partition=stack.partition,
                    machine_arns=machine_arns,
                ),
                values={
                    "ArtifactBucketName": foundation.artifact_bucket_name,
                    "DataKeyArn": foundation.data_key_arn,
                },
                permissions=_permissions(stack, props, steps, machine_arns),
                log_retention_days=props.log_retention_days,
                removal_policy=props.removal_policy,
                foundation=foundation,
                report_success=props.report_success,
            ),
        )
        self.state_machine_arn = machine.state_machine_arn
        schedule_and_watch(self, NOUN, machine.state_machine_arn, props)
        registrations = [step for step in steps if isinstance(step, RegisterStep)]
        self._add_groups(registrations, props.workload_name)
        if waiting := [step.group_name for step in registrations if not step.is_approved]:
            self._tell_of_approvals(props.workload_name, waiting, foundation.alarm_topic_arn)

    def _add_groups(self, registrations: Sequence[RegisterStep], workload_name: str) -> None:
        """Add the groups, by their names: a group with versions can neither be replaced nor deleted."""
        groups = Construct(self, "Groups")
        for step in registrations:
            group = sagemaker.CfnModelPackageGroup(
                groups,
                step.group or step.group_name,
                model_package_group_name=step.group_name,
                model_package_group_description=f"Models of pipeline {workload_name}",
            )
            group.apply_removal_policy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE)

    def _tell_of_approvals(self, workload_name: str, group_names: list[str], topic_arn: str) -> None:
        """https://docs.aws.amazon.com/sagemaker/latest/dg/automating-sagemaker-with-eventbridge.html."""
        tell_of_events(
            self,
            "Approvals",
            ToldEvents(
                description=f"Tells of versions in {', '.join(group_names)} that somebody approved",
                pattern={
                    "source": ["aws.sagemaker"],
                    "detail-type": ["SageMaker Model Package State Change"],
                    "detail": {"ModelPackageGroupName": group_names, "ModelApprovalStatus": ["Approved"]},
                },
                paths={"approved": "$.detail.ModelPackageArn"},
                told=message(
                    f"A model of pipeline {workload_name} was approved",
                    "<approved> may be deployed.",
                    context={"kind": NOUN, "workload": workload_name, "approved": "<approved>"},
                ),
            ),
            alarm_topic_arn=topic_arn,
        )


def _permissions(
    stack: Stack,
    props: PipelineProps,
    steps: Sequence[RunStep | RegisterStep],
    machine_arns: dict[str, str],
) -> Permissions:
    partition, region, account = stack.partition, stack.region, stack.account
    started = list(machine_arns.values())
    executions = [f"{arn.replace(':stateMachine:', ':execution:')}:*" for arn in started]
    statements = [
        *start_statements(one_or_all(started), props.foundation.data_key_arn),
        allow(("states:DescribeExecution", "states:StopExecution"), one_or_all(executions)),
        allow(
            ("events:DescribeRule", "events:PutRule", "events:PutTargets"),
            f"arn:{partition}:events:{region}:{account}:rule/{SYNC_RULE_NAME}",
        ),
        *_read_statements(stack, props.foundation, steps),
    ]
    models = f"arn:{partition}:sagemaker:{region}:{account}"
    # In its ARN a name is in lower case.
    groups = [step.group_name.lower() for step in steps if isinstance(step, RegisterStep)]
    versions = [f"{models}:model-package/{group}/*" for group in groups]
    if groups:
        # Of a version and its group:
        # https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonsagemaker.html
        named = [f"{models}:model-package-group/{group}" for group in groups]
        statements.append(allow(("sagemaker:CreateModelPackage",), [*named, *versions]))
        # What AWS's own policy for the registry has of keys (AmazonSageMakerModelRegistryFullAccess):
        # https://docs.aws.amazon.com/sagemaker/latest/dg/security-iam-awsmanpol-model-registry.html
        statements.append(
            allow(
                ("kms:CreateGrant", "kms:Decrypt", "kms:DescribeKey", "kms:GenerateDataKey"),
                props.foundation.data_key_arn,
                {"StringEquals": {"kms:ViaService": f"sagemaker.{region}.amazonaws.com"}},
            )
        )
    return Permissions(
        description=f"Orchestration of pipeline {props.workload_name}",
        statements=statements,
        wildcards={
            **dict.fromkeys(
                executions,
                "Every run of a step is an execution with a name of its own; the machine holds the role to its executions.",
            ),
            **dict.fromkeys(versions, "SageMaker numbers the versions of a group as they are registered."),
        },
    )


def _read_statements(
    stack: Stack, foundation: FoundationReferences, steps: Sequence[RunStep | RegisterStep]
) -> list[Statement]:
    gates = chain.from_iterable(step.gates for step in steps if isinstance(step, RunStep))
    files = dict.fromkeys(gate.file_key for gate in gates if gate.file_key is not None)
    if not files:
        return []
    bucket_arn = f"arn:{stack.partition}:s3:::{foundation.artifact_bucket_name}"
    return [
        allow(("s3:GetObject",), one_or_all([f"{bucket_arn}/{file_key}" for file_key in files])),
        allow(
            ("kms:Decrypt",),
            foundation.data_key_arn,
            {"StringEquals": {"kms:ViaService": f"s3.{stack.region}.amazonaws.com"}},
        ),
    ]
