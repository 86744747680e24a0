"""Everything that one batch transform needs, in one construct."""

from collections.abc import Sequence
from dataclasses import dataclass

from aws_cdk import RemovalPolicy
from constructs import Construct

from constructs_lib.job_kind import TRANSFORM
from constructs_lib.job_role import JobRole, JobRoleProps
from constructs_lib.references import FoundationReferences
from constructs_lib.scheduled_workflow import schedule_and_watch
from constructs_lib.serving_model import (
    ContainerProps,
    PipelineContainer,
    ServingModelProps,
    check_containers,
    decryption_key_arns,
    read_locations,
    repository_arns,
    serving_model,
)
from constructs_lib.training_schedule_expression import TrainingScheduleTiming
from constructs_lib.transform_job import TransformJobProps
from constructs_lib.transform_state_machine import TransformStateMachine, TransformStateMachineProps
from constructs_lib.workflow_events import StartEvents


@dataclass(frozen=True, kw_only=True)
class BatchTransformProps(ContainerProps):
    """A model, the job that runs data through it, and the name people start it by.

    Its container is told as ``ContainerProps``, with an artifact that is one model.tar.gz. A row passes the containers of
    ``before`` first, and its answer those of ``after``, on the same instances. ``network_isolation`` keeps containers from all
    calls but SageMaker's own. ``schedule`` None means that only people start the workflow. ``log_retention_days`` and
    ``removal_policy`` are for the log of its executions, which outlives its stack: it says why something failed.
    ``execution_role_arn`` names a role of the account that SageMaker assumes for model and jobs; None makes one that may do
    no more than they need.
    """

    workload_name: str
    state_machine_name: str
    job: TransformJobProps
    foundation: FoundationReferences
    before: Sequence[PipelineContainer] = ()
    after: Sequence[PipelineContainer] = ()
    network_isolation: bool = True
    schedule: TrainingScheduleTiming | None = None
    events: StartEvents | None = None
    log_retention_days: int = 90
    removal_policy: RemovalPolicy = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE
    execution_role_arn: str | None = None

    def __post_init__(self) -> None:
        """Check what the containers are made of."""
        check_containers(self.containers, packed_only=True)

    @property
    def containers(self) -> tuple[ContainerProps, ...]:
        """All of them, in the order of a row."""
        return (*self.before, self, *self.after)


class BatchTransform(Construct):
    """Model, execution role, state machine, schedule and alarms of one batch transform."""

    def __init__(self, scope: Construct, construct_id: str, *, props: BatchTransformProps) -> None:
        super().__init__(scope, construct_id)
        model = serving_model(
            self,
            "Model",
            props=ServingModelProps(
                containers=props.containers,
                execution_role_arn=props.execution_role_arn or self._add_role(props),
                network_isolation=props.network_isolation,
                foundation=props.foundation,
                names_artifact_by_url=True,
            ),
        )
        machine = TransformStateMachine(
            self,
            "Workflow",
            props=TransformStateMachineProps(
                state_machine_name=props.state_machine_name,
                workload_name=props.workload_name,
                job=props.job,
                model_name=model.attr_model_name,
                log_retention_days=props.log_retention_days,
                removal_policy=props.removal_policy,
                foundation=props.foundation,
            ),
        )
        self.state_machine_arn = machine.state_machine_arn
        schedule_and_watch(
            self,
            noun=TRANSFORM.workflow,
            workload_name=props.workload_name,
            state_machine_arn=machine.state_machine_arn,
            timing=props.schedule,
            events=props.events,
            removal_policy=props.removal_policy,
            foundation=props.foundation,
        )

    def _add_role(self, props: BatchTransformProps) -> str:
        foundation, job = props.foundation, props.job
        artifacts = foundation.artifact_bucket_name
        role = JobRole(
            self,
            "ModelRole",
            props=JobRoleProps(
                kind=TRANSFORM,
                job_name_prefix=job.job_name_prefix,
                image_repository_arns=repository_arns(self, props.containers),
                reads=(
                    *read_locations(props.containers, foundation),
                    (artifacts, f"{job.data.key_prefix}/"),
                ),
                writes=((artifacts, f"{job.output_key_prefix}/"),),
                security_group="endpoint",
                security_group_id=foundation.endpoint_security_group_id,
                data_key_arn=foundation.data_key_arn,
                decryption_key_arns=decryption_key_arns(props.containers),
            ),
        )
        return role.role_arn
