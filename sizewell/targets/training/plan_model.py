"""The plan of a training on an instance of EC2, whatever launches it."""

from typing import ClassVar, Literal

from sizewell.facts.training_jobs import CODE_CHANNEL, toolkit_hyperparameters
from sizewell.instance_selection.results import Selection, TrainingEstimate
from sizewell.planning.training_plan_model import CheckpointPlan, TrainingCodePlan
from sizewell.planning.workload_plan import ImagePlan, InstanceWorkloadPlan, SchedulePlan
from sizewell.targets.serving.plan_model import ClusterPlan

#: The program of the contract that runs around the script.
PROGRAM = "train_model"


class TrainedOnEc2Plan(InstanceWorkloadPlan):
    """One training, which has an instance to itself."""

    in_vpc: ClassVar[bool] = False
    """The cluster may be in another VPC than that of the place."""

    cluster: ClusterPlan
    instance_type: str
    hardware: str
    """The kind of hardware: runs on the same kind resume from each other's checkpoints."""
    image: ImagePlan
    gpu_count: int
    """NVIDIA GPUs of an instance."""
    volume_size_gib: int
    """For the dataset, which is downloaded, the checkpoints and what the script writes; the system and the image not counted."""
    spot: bool
    """Whether Spot capacity is tried first."""
    on_demand_fallback: bool
    """Whether on-demand capacity takes over where Spot has none."""
    job_tags: dict[str, str]
    code: TrainingCodePlan | None
    """None starts what the image calls ``train``."""
    method: Literal["full", "lora"]
    channels: dict[str, str]
    """What the script reads by the name of the channel, first the dataset: prefixes of the artifact bucket."""
    output_prefix: str
    hyperparameters: dict[str, str]
    deadline_s: int
    """From the start of a run to its end, waiting for capacity included."""
    checkpoint: CheckpointPlan | None
    schedule: SchedulePlan | None
    runs_per_month: float | None
    """None where the configuration does not say how often it runs; the bill then counts one."""
    selection: Selection[TrainingEstimate]

    @property
    def images(self) -> tuple[ImagePlan, ...]:
        """That of the training."""
        return (self.image,)

    @property
    def target(self) -> str:
        """The name of the cluster in the configuration."""
        return self.cluster.key

    @property
    def locked_facts(self) -> dict[str, object]:
        """The instances of a run, what is trained of the model, and where."""
        return {**super().locked_facts, "method": self.method, "target": self.target}

    @property
    def downloads(self) -> dict[str, str]:
        """What is downloaded before the script starts, by the name of its channel: the script is one of them."""
        code = {CODE_CHANNEL: self.code.prefix} if self.code else {}
        return {**self.channels, **code}

    @property
    def all_hyperparameters(self) -> dict[str, str]:
        """The hyperparameters with those by which the training toolkit of the image finds the script."""
        script = toolkit_hyperparameters(self.code.command[1]) if self.code else {}
        return dict(sorted({**self.hyperparameters, **script}.items()))
