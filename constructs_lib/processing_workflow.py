"""Everything that one processing workload needs, in one construct."""

from dataclasses import dataclass

from aws_cdk import Fn, RemovalPolicy, Stack
from constructs import Construct

from constructs_lib.container_images import image_repository_arn
from constructs_lib.job_kind import PROCESSING
from constructs_lib.job_role import JobRole, JobRoleProps
from constructs_lib.job_state_machine import JobStateMachine, JobStateMachineProps
from constructs_lib.processing_job import ProcessingJobProps
from constructs_lib.processing_job_request import processing_state_machine_definition
from constructs_lib.references import FoundationReferences
from constructs_lib.scheduled_workflow import schedule_and_watch
from constructs_lib.training_schedule_expression import TrainingScheduleTiming
from constructs_lib.workflow_events import StartEvents


@dataclass(frozen=True, kw_only=True)
class ProcessingWorkflowProps:
    """A processing workload: its job, the name people start it by, and when it starts by itself.

    ``image_repository_arn`` is the ECR repository of ``job.image_uri``; None takes it from there. ``schedule`` None means
    that only people start the workflow. ``log_retention_days`` and ``removal_policy`` are for the log of its executions,
    which outlives its stack: it says why something failed. ``execution_role_arn`` names a role of the account that SageMaker
    assumes for the jobs; None makes one that may do no more than this job needs.
    """

    workload_name: str
    state_machine_name: str
    job: ProcessingJobProps
    foundation: FoundationReferences
    image_repository_arn: str | None = None
    schedule: TrainingScheduleTiming | None = None
    events: StartEvents | None = None
    log_retention_days: int = 90
    removal_policy: RemovalPolicy = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE
    execution_role_arn: str | None = None


class ProcessingWorkflow(Construct):
    """Execution role, state machine, schedule and alarms of one processing workload."""

    def __init__(self, scope: Construct, construct_id: str, *, props: ProcessingWorkflowProps) -> None:
        super().__init__(scope, construct_id)
        foundation, role_arn = props.foundation, props.execution_role_arn or self._add_role(props)
        machine = JobStateMachine(
            self,
            "Workflow",
            props=JobStateMachineProps(
                state_machine_name=props.state_machine_name,
                workload_name=props.workload_name,
                kind=PROCESSING,
                job_name_prefix=props.job.job_name_prefix,
                definition=processing_state_machine_definition(props.job, partition=Stack.of(self).partition),
                values={
                    "RoleArn": role_arn,
                    # Stands between the quotes of one list element.
                    "SubnetIds": Fn.join('","', foundation.subnet_ids),
                    "SecurityGroupId": foundation.training_security_group_id,
                    "DataKeyArn": foundation.data_key_arn,
                    "ArtifactBucketName": foundation.artifact_bucket_name,
                },
                passed_role_arn=role_arn,
                log_retention_days=props.log_retention_days,
                removal_policy=props.removal_policy,
                foundation=foundation,
            ),
        )
        self.state_machine_arn = machine.state_machine_arn
        schedule_and_watch(
            self,
            noun=PROCESSING.workflow,
            workload_name=props.workload_name,
            state_machine_arn=machine.state_machine_arn,
            timing=props.schedule,
            events=props.events,
            removal_policy=props.removal_policy,
            foundation=foundation,
        )

    def _add_role(self, props: ProcessingWorkflowProps) -> str:
        job, foundation = props.job, props.foundation
        artifacts = foundation.artifact_bucket_name
        repository_arn = props.image_repository_arn or image_repository_arn(self, job.image_uri)
        role = JobRole(
            self,
            "Role",
            props=JobRoleProps(
                kind=PROCESSING,
                job_name_prefix=job.job_name_prefix,
                image_repository_arns=(repository_arn,),
                reads=tuple((artifacts, f"{one.key_prefix}/") for one in job.all_inputs.values()),
                writes=tuple((artifacts, f"{one.key_prefix}/") for one in job.outputs.values()),
                security_group="training",
                security_group_id=foundation.training_security_group_id,
                data_key_arn=foundation.data_key_arn,
            ),
        )
        return role.role_arn
