"""The plan of a training job."""

from collections.abc import Iterator, Mapping
from typing import Literal

from sizewell.facts.file_systems import FileSystemType
from sizewell.facts.quotas import Quota, instance_quotas
from sizewell.facts.state_machines import EXECUTION_GRACE_S, TASK_GRACE_S
from sizewell.instance_selection.results import Selection, TrainingEstimate
from sizewell.planning.planned_logs import SharedLogs
from sizewell.planning.workload_plan import (
    ImagePlan,
    JobPlan,
    PlanModel,
    SchedulePlan,
    StartsOnPlan,
)


class TrainingAttemptPlan(PlanModel):
    """One rung of the ladder: tried when the one before found no capacity, or, on Spot, used up its time."""

    instance_type: str
    hardware: str
    """The kind of hardware: attempts on the same kind resume from each other's checkpoints."""
    image: ImagePlan
    spot: bool
    """Whether the instances are managed Spot; the last rungs may be on demand."""
    ends_after_s: int
    """Seconds after the start of the run at which this attempt gives way to the next one, or misses the deadline."""
    usd_per_hour: float | None
    """Of one instance on demand; None is unknown, or prepaid."""
    gpu_count: int
    """NVIDIA GPUs of one instance."""
    instance_count: int
    volume_size_gib: int
    encrypt_volume_with_key: bool


class TrainingCodePlan(PlanModel):
    """What the container runs: objects of the artifact bucket, and the command that starts them."""

    prefix: str
    command: tuple[str, ...]


class FileSystemPlan(PlanModel):
    """A directory of a file system that exists, which jobs mount and only read."""

    type: FileSystemType
    id: str
    directory: str
    subnet_id: str | None = None
    """Where the jobs run that mount it; None is any subnet of the network."""


class CheckpointPlan(PlanModel):
    """The contract with the training script."""

    prefix: str
    interval_minutes: int


class TrainedModelPlan(JobPlan):
    """What is trained, from what and on what, as a state machine: of a training job, and of a search around it."""

    state_machine_name: str
    job_name_prefix: str
    job_tags: dict[str, str]
    """All. Jobs are not CloudFormation resources: without tags of their own they are missing from cost reports."""
    attempts: tuple[TrainingAttemptPlan, ...]
    code: TrainingCodePlan | None
    """None runs the entry point of the image."""
    method: Literal["full", "lora"]
    channels: dict[str, str | FileSystemPlan]
    """What the script reads by the name of the channel, first the dataset: a prefix of the artifact bucket, or a file system."""
    output_prefix: str
    hyperparameters: dict[str, str]
    encrypt_inter_container_traffic: bool
    """Whether traffic between the instances of a job is encrypted."""
    metrics: dict[str, str]
    """Regular expressions by the name of the metric that they find in the log."""
    deadline_s: int
    """From the start of a run to its end, with every attempt; of a tuning, of each training."""
    checkpoint: CheckpointPlan | None
    schedule: SchedulePlan | None
    starts_on: StartsOnPlan | None
    report_success: bool
    """Whether the alarm topic hears of runs that succeeded, too."""
    experiment: str | None = None
    """The MLflow experiment that its runs are recorded in."""
    runs_per_month: float | None
    """None where the configuration does not say how often it runs; the bill then counts one."""
    selection: Selection[TrainingEstimate]

    @property
    def shared_logs(self) -> SharedLogs:
        """Those of its jobs."""
        return SharedLogs(of="TrainingJobs", name=self.job_name_prefix)

    @property
    def images(self) -> tuple[ImagePlan, ...]:
        """Its container images, each once."""
        return (self.image,)

    @property
    def spot(self) -> bool:
        """Whether Spot capacity is tried first."""
        return self.attempts[0].spot

    @property
    def image(self) -> ImagePlan:
        """The image of the first attempt."""
        return self.attempts[0].image

    @property
    def trainings_at_a_time(self) -> int:
        """How many trainings of a run are there at the same time, at the most."""
        return 1

    @property
    def quotas(self) -> Iterator[Quota]:
        """Those of all attempts, one of which runs at a time."""
        yield from instance_quotas("spot training job", self._most_instances(spot=True))
        yield from instance_quotas("training job", self._most_instances(spot=False))

    def _most_instances(self, *, spot: bool) -> dict[str, int]:
        counts: dict[str, int] = {}
        for one in self.attempts:
            if one.spot == spot:
                count = one.instance_count * self.trainings_at_a_time
                counts[one.instance_type] = max(count, counts.get(one.instance_type, 0))
        return counts

    @property
    def estimate_of_run(self) -> TrainingEstimate:
        """What is estimated of a whole run."""
        return self.selection.chosen.estimate

    @property
    def locked_facts(self) -> dict[str, object]:
        """The instances of a run, and what is trained of the model."""
        return {**super().locked_facts, "method": self.method}

    @property
    def peer_count(self) -> int:
        """How many instances of one job call each other by name."""
        return max(attempt.instance_count for attempt in self.attempts)

    @property
    def written_prefixes(self) -> tuple[str, ...]:
        """Where models are written."""
        return (self.output_prefix,)

    def read_prefixes(self, replaced: Mapping[str, str]) -> tuple[str, ...]:
        """Return what runs read in the artifact bucket: what lies in a file system is the output of no run."""
        code = (self.code.prefix,) if self.code else ()
        return (*(source for source in self.channels.values() if isinstance(source, str)), *code)

    @property
    def time_limit_s(self) -> int:
        """After so long the state machine ends a run, with every attempt."""
        return self.attempts[-1].ends_after_s + TASK_GRACE_S + EXECUTION_GRACE_S
