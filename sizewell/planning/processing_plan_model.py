"""The plan of a processing job."""

from collections.abc import Iterator
from typing import Literal

from sizewell.facts.quotas import Quota, instance_quotas
from sizewell.facts.state_machines import EXECUTION_GRACE_S
from sizewell.instance_selection.results import ProcessingEstimate, Selection
from sizewell.planning.training_plan_model import TrainingCodePlan
from sizewell.planning.workload_plan import (
    ImagePlan,
    InstanceWorkloadPlan,
    PlanModel,
    SchedulePlan,
    StartsOnPlan,
)


class ProcessingAttemptPlan(PlanModel):
    """One rung of the ladder: tried when there is no capacity for the one before."""

    instance_type: str
    instance_count: int
    volume_size_gib: int
    usd_per_hour: float | None
    """Of one instance; None is unknown."""
    encrypt_volume_with_key: bool
    """False where the type encrypts its NVMe disks in hardware: the API refuses a key there."""


class ProcessingInputPlan(PlanModel):
    """What the script reads, in the artifact bucket."""

    prefix: str
    mode: Literal["file", "pipe"]
    distribution: Literal["replicated", "sharded"]


class ProcessingOutputPlan(PlanModel):
    """What the script writes, in the artifact bucket."""

    prefix: str
    upload: Literal["end-of-job", "continuous"]


class NeuronPlan(PlanModel):
    """What the outputs are compiled for."""

    target: str
    """An instance family."""
    cores: int
    """NeuronCores of one copy of the model."""


class ProcessingJobPlan(InstanceWorkloadPlan):
    """One processing job, as a state machine."""

    kind: Literal["processing-job"] = "processing-job"
    state_machine_name: str
    job_name_prefix: str
    job_tags: dict[str, str]
    """All. Jobs are not CloudFormation resources: without tags of their own they are missing from cost reports."""
    attempts: tuple[ProcessingAttemptPlan, ...]
    image: ImagePlan
    code: TrainingCodePlan | None
    """None runs the entry point of the image."""
    inputs: dict[str, ProcessingInputPlan]
    outputs: dict[str, ProcessingOutputPlan]
    deadline_s: int
    """From the start of a run to its end, with every attempt: then its job is stopped."""
    neuron: NeuronPlan | None
    """None where no model is compiled."""
    schedule: SchedulePlan | None
    starts_on: StartsOnPlan | None
    runs_per_month: float | None
    """None where the configuration does not say how often it runs; the bill then counts one."""
    selection: Selection[ProcessingEstimate]

    @property
    def images(self) -> tuple[ImagePlan, ...]:
        """Its container images, each once."""
        return (self.image,)

    @property
    def time_limit_s(self) -> int:
        """After so long the state machine ends a run, with every attempt."""
        return self.deadline_s + EXECUTION_GRACE_S

    @property
    def quotas(self) -> Iterator[Quota]:
        """Those of all attempts, one of which runs at a time."""
        counts = {one.instance_type: one.instance_count for one in self.attempts}
        yield from instance_quotas("processing job", counts)
