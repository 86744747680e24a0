"""Everything that one training workload needs, in one construct."""

from dataclasses import dataclass

from aws_cdk import RemovalPolicy
from constructs import Construct

from constructs_lib.container_images import image_repository_arn
from constructs_lib.job_kind import TRAINING
from constructs_lib.job_state_machine import JobStateMachine
from constructs_lib.references import FoundationReferences
from constructs_lib.scheduled_workflow import schedule_and_watch
from constructs_lib.training_job import TrainingJobProps
from constructs_lib.training_role import TrainingRole, TrainingRoleProps
from constructs_lib.training_schedule_expression import TrainingScheduleTiming
from constructs_lib.training_state_machine import TrainingStateMachine, TrainingStateMachineProps
from constructs_lib.workflow_events import StartEvents


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
        schedule_and_watch(
            self,
            noun=self.kind.workflow,
            workload_name=props.workload_name,
            state_machine_arn=machine.state_machine_arn,
            timing=props.schedule,
            events=props.events,
            removal_policy=props.removal_policy,
            foundation=props.foundation,
        )

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
