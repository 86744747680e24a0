"""The plan of a training job."""

from typing import Literal

from sizewell.instance_selection.results import Selection, TrainingEstimate
from sizewell.planning.workload_plan import (
    ImagePlan,
    InstanceWorkloadPlan,
    PlanModel,
    SchedulePlan,
)


class TrainingAttemptPlan(PlanModel):
    """One rung of the ladder: tried when there is no capacity for the one before."""

    instance_type: str
    spot: bool
    """Whether the instances are managed Spot; the last rung may be on-demand."""
    instance_count: int
    volume_size_gib: int
    encrypt_volume_with_key: bool


class TrainingCodePlan(PlanModel):
    """What the container runs: objects of the artifact bucket, and the command that starts them."""

    prefix: str
    command: tuple[str, ...]


class CheckpointPlan(PlanModel):
    """The contract with the training script."""

    prefix: str
    interval_minutes: int


class TrainedModelPlan(InstanceWorkloadPlan):
    """What is trained, from what and on what, as a state machine: of a training job, and of a search around it."""

    state_machine_name: str
    job_name_prefix: str
    job_tags: dict[str, str]
    """All. Jobs are not CloudFormation resources: without tags of their own they are missing from cost reports."""
    attempts: tuple[TrainingAttemptPlan, ...]
    image: ImagePlan
    code: TrainingCodePlan | None
    """None runs the entry point of the image."""
    method: Literal["full", "lora"]
    dataset_prefix: str
    output_prefix: str
    hyperparameters: dict[str, str]
    max_runtime_s: int
    max_wait_s: int | None
    """Of each attempt on Spot, from its creation to its end; None where no attempt uses Spot."""
    checkpoint: CheckpointPlan | None
    schedule: SchedulePlan | None
    runs_per_month: float | None
    """None where the configuration does not say how often it runs; the bill then counts one."""
    selection: Selection[TrainingEstimate]

    @property
    def spot(self) -> bool:
        """Whether Spot capacity is tried first."""
        return self.attempts[0].spot

    @property
    def trainings_per_run(self) -> int:
        """How often a run trains, at the most; ``selection`` tells of one training."""
        return 1


class TrainingJobPlan(TrainedModelPlan):
    """One training job."""

    kind: Literal["training-job"] = "training-job"
