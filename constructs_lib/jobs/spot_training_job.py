"""A training job on managed Spot capacity, from its script and the instance types that it may run on."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from aws_cdk import RemovalPolicy
from constructs import Construct

from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.jobs.training_job import (
    FileSystemChannel,
    TrainingAttempt,
    TrainingChannel,
    TrainingCheckpoint,
    TrainingCode,
    TrainingJobProps,
)
from constructs_lib.jobs.training_workflow import TrainingWorkflow, TrainingWorkflowProps
from constructs_lib.workflows.schedule_expression import TrainingScheduleTiming


@dataclass(frozen=True, kw_only=True)
class SpotTrainingJobProps:
    """What is trained, on which instance types, and for how long.

    ``name`` is that of the state machine, and begins those of its jobs; models go to ``output/<name>/`` in the artifact
    bucket, checkpoints to ``<name>/`` in the bucket of checkpoints. ``instance_types`` are tried on Spot in their order,
    and the first one at last on demand, so that a week without Spot capacity is more expensive and not lost;
    ``on_demand_fallback`` False leaves that out. All types must run the same image and resume the same checkpoint.

    ``deadline_s`` after its start an execution has ended. ``on_demand_s`` is the time before it that a whole run on demand
    needs: so late, Spot gives way, and what comes before is shared equally by the instance types. The script saves every
    ``checkpoint_interval_minutes`` at least, which bounds the work that an interruption costs (see the training contract).
    ``code`` None runs the entry point of the image. ``network_isolation`` keeps the container from all calls but SageMaker's
    own. ``execution_role_arn`` names a role of the account that SageMaker assumes; None makes one that may do no more than
    this job needs.

    Raises ``TrainingJobError`` for what SageMaker would refuse.
    """

    name: str
    image_uri: str
    instance_types: tuple[str, ...]
    deadline_s: int
    on_demand_s: int
    foundation: FoundationReferences
    code: TrainingCode | None = None
    channels: tuple[TrainingChannel | FileSystemChannel, ...] = ()
    hyperparameters: Mapping[str, str] = field(default_factory=dict)
    environment_variables: Mapping[str, str] = field(default_factory=dict)
    instance_count: int = 1
    volume_size_gib: int = 30
    on_demand_fallback: bool = True
    checkpoint_interval_minutes: int = 15
    network_isolation: bool = True
    schedule: TrainingScheduleTiming | None = None
    log_retention_days: int = 90
    removal_policy: RemovalPolicy = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE
    execution_role_arn: str | None = None

    def __post_init__(self) -> None:
        """Check the fields."""
        self.to_job_props()

    def to_job_props(self) -> TrainingJobProps:
        """Return the job with its attempts: each type on Spot, then the first on demand."""
        spot_s = self.deadline_s - (self.on_demand_s if self.on_demand_fallback else 0)
        count = len(self.instance_types)
        tried = [
            (instance_type, True, spot_s * number // count)
            for number, instance_type in enumerate(self.instance_types, start=1)
        ]
        if self.on_demand_fallback:
            tried += [(instance_type, False, self.deadline_s) for instance_type in self.instance_types[:1]]
        return TrainingJobProps(
            job_name_prefix=self.name,
            attempts=tuple(
                TrainingAttempt(
                    instance_type=instance_type,
                    image_uri=self.image_uri,
                    ends_after_s=ends_after_s,
                    instance_count=self.instance_count,
                    volume_size_gib=self.volume_size_gib,
                    use_managed_spot=spot,
                )
                for instance_type, spot, ends_after_s in tried
            ),
            output_key_prefix=f"output/{self.name}",
            channels=self.channels,
            code=self.code,
            checkpoint=TrainingCheckpoint(
                key_prefix=self.name, interval_minutes=self.checkpoint_interval_minutes
            ),
            hyperparameters=self.hyperparameters,
            environment_variables=self.environment_variables,
            enable_network_isolation=self.network_isolation,
        )


class SpotTrainingJob(TrainingWorkflow):
    """A state machine that trains on the first instance type with Spot capacity, and resumes where it was interrupted.

    People or its schedule start it. The alarm topic of the foundation receives its failures.
    """

    def __init__(self, scope: Construct, construct_id: str, *, props: SpotTrainingJobProps) -> None:
        super().__init__(
            scope,
            construct_id,
            props=TrainingWorkflowProps(
                workload_name=props.name,
                state_machine_name=props.name,
                job=props.to_job_props(),
                foundation=props.foundation,
                schedule=props.schedule,
                log_retention_days=props.log_retention_days,
                removal_policy=props.removal_policy,
                execution_role_arn=props.execution_role_arn,
            ),
        )
