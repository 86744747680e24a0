"""Everything that one training workload needs, in one construct, with the execution role of its jobs."""

from dataclasses import dataclass

from aws_cdk import RemovalPolicy
from constructs import Construct

from constructs_lib.foundation.references import FoundationReferences, mlflow_arn_of
from constructs_lib.jobs.job_kind import TRAINING
from constructs_lib.jobs.job_role import JobRole, JobRoleProps
from constructs_lib.jobs.job_state_machine import JobStateMachine
from constructs_lib.jobs.training_job import TrainingChannel, TrainingJobProps
from constructs_lib.jobs.training_state_machine import TrainingStateMachine, TrainingStateMachineProps
from constructs_lib.policies.container_images import image_repository_arn
from constructs_lib.policies.statements import allow
from constructs_lib.workflows.schedule_expression import TrainingScheduleTiming
from constructs_lib.workflows.scheduled_workflow import schedule_and_watch
from constructs_lib.workflows.workflow_events import StartEvents
from sizewell.facts.mlflow import APP_ACTIONS, SERVER_ACTIONS


@dataclass(frozen=True, kw_only=True)
class TrainingWorkflowProps:
    """A training workload: its job, the name people start it by, and when it starts by itself.

    ``image_repository_arns`` are the ECR repositories of the images of the attempts; None takes them from there. ``schedule``
    None means that only people start the workflow. ``log_retention_days`` and ``removal_policy`` are for the log of its
    executions, which outlives its stack: it says why something failed. ``execution_role_arn`` names a role of the account
    that SageMaker assumes for the jobs; None makes one that may do no more than this job needs. ``report_success`` tells the
    alarm topic of executions that succeeded, too, with what they came to.
    """

    workload_name: str
    state_machine_name: str
    job: TrainingJobProps
    foundation: FoundationReferences
    image_repository_arns: tuple[str, ...] | None = None
    schedule: TrainingScheduleTiming | None = None
    events: StartEvents | None = None
    log_retention_days: int = 90
    removal_policy: RemovalPolicy = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE
    execution_role_arn: str | None = None
    report_success: bool = False


class TrainingWorkflow(Construct):
    """Execution role, state machine, schedule and alarms of one training workload."""

    kind = TRAINING

    def __init__(self, scope: Construct, construct_id: str, *, props: TrainingWorkflowProps) -> None:
        super().__init__(scope, construct_id)
        machine = self._add_machine(
            props,
            TrainingStateMachineProps(
                state_machine_name=props.state_machine_name,
                workload_name=props.workload_name,
                job=props.job,
                training_role_arn=props.execution_role_arn or self._add_role(props),
                log_retention_days=props.log_retention_days,
                removal_policy=props.removal_policy,
                foundation=props.foundation,
                report_success=props.report_success,
            ),
        )
        self.state_machine_arn = machine.state_machine_arn
        schedule_and_watch(self, self.kind.workflow, machine.state_machine_arn, props)

    def _add_machine(self, _: TrainingWorkflowProps, props: TrainingStateMachineProps) -> JobStateMachine:
        return TrainingStateMachine(self, "Workflow", props=props)

    def _add_role(self, props: TrainingWorkflowProps) -> str:
        role = TrainingRole(
            self,
            "TrainingRole",
            props=TrainingRoleProps(
                job=props.job,
                image_repository_arns=props.image_repository_arns
                or tuple(
                    dict.fromkeys(
                        image_repository_arn(self, attempt.image_uri) for attempt in props.job.attempts
                    )
                ),
                foundation=props.foundation,
            ),
        )
        return role.role_arn


@dataclass(frozen=True, kw_only=True)
class TrainingRoleProps:
    """``image_repository_arns`` are the ECR repositories of the training images, in whatever account they are."""

    job: TrainingJobProps
    image_repository_arns: tuple[str, ...]
    foundation: FoundationReferences


class TrainingRole(JobRole):
    """A role that SageMaker assumes; ``role_arn`` is for the ``CreateTrainingJob`` request."""

    def __init__(self, scope: Construct, construct_id: str, *, props: TrainingRoleProps) -> None:
        job, foundation = props.job, props.foundation
        artifacts = foundation.artifact_bucket_name
        reads = [
            (artifacts, f"{channel.key_prefix}/")
            for channel in job.channels
            if isinstance(channel, TrainingChannel)
        ]
        if job.code is not None:
            reads.append((artifacts, f"{job.code.key_prefix}/"))
        checkpoints = []
        if job.checkpoint is not None:
            checkpoints.append((foundation.checkpoint_bucket_name, f"{job.checkpoint.key_prefix}/"))
        writes = [(artifacts, f"{job.output_key_prefix}/"), *checkpoints]
        calls = []
        if (experiment := job.experiment) is not None:
            actions = APP_ACTIONS if experiment.is_app else SERVER_ACTIONS
            calls.append(allow(actions, mlflow_arn_of(foundation)))
            if experiment.artifact_prefix is not None:
                writes.append((artifacts, f"{experiment.artifact_prefix}/"))
        super().__init__(
            scope,
            construct_id,
            props=JobRoleProps(
                kind=TRAINING,
                job_name_prefix=job.job_name_prefix,
                image_repository_arns=props.image_repository_arns,
                reads=tuple(reads),
                writes=tuple(writes),
                # "If a checkpoint is deleted in the SageMaker container, it will also be deleted in the S3 folder", and what
                # lies there is written into the container at the start of a job:
                # https://docs.aws.amazon.com/sagemaker/latest/dg/model-checkpoints.html
                deletes=tuple(checkpoints),
                security_group="training",
                security_group_id=foundation.training_security_group_id,
                data_key_arn=foundation.data_key_arn,
                calls=tuple(calls),
                file_systems=job.file_systems,
            ),
        )
