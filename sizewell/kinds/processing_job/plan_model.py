"""The plan of a processing job."""

from collections.abc import Iterator, Mapping
from typing import Literal

from sizewell.facts.quotas import Quota, instance_quotas
from sizewell.facts.state_machines import EXECUTION_GRACE_S
from sizewell.instance_selection.results import ProcessingEstimate, Selection
from sizewell.planning.planned_logs import SharedLogs
from sizewell.planning.training_plan_model import TrainingCodePlan
from sizewell.planning.workload_plan import (
    ImagePlan,
    JobPlan,
    NeuronPlan,
    PlanModel,
    PlanModelKind,
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


class ProcessingJobPlan(JobPlan):
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
    def shared_logs(self) -> SharedLogs:
        """Those of its jobs."""
        return SharedLogs(of="ProcessingJobs", name=self.job_name_prefix)

    @property
    def images(self) -> tuple[ImagePlan, ...]:
        """Its container images, each once."""
        return (self.image,)

    @property
    def time_limit_s(self) -> int:
        """After so long the state machine ends a run, with every attempt."""
        return self.deadline_s + EXECUTION_GRACE_S

    @property
    def compiled(self) -> tuple[NeuronPlan, tuple[str, ...]] | None:
        """What its outputs are compiled for, and their prefixes; None where no model is compiled."""
        return None if self.neuron is None else (self.neuron, self.written_prefixes)

    @property
    def peer_count(self) -> int:
        """How many instances of one job call each other by name."""
        return max(attempt.instance_count for attempt in self.attempts)

    @property
    def input_prefixes(self) -> Mapping[str, str]:
        """Where its inputs lie, by name."""
        return {name: read.prefix for name, read in self.inputs.items()}

    @property
    def written_prefixes(self) -> tuple[str, ...]:
        """Where outputs are written."""
        return tuple(output.prefix for output in self.outputs.values())

    def read_prefixes(self, replaced: Mapping[str, str]) -> tuple[str, ...]:
        """Return what runs read in the artifact bucket, but for the inputs of these names."""
        code = (self.code.prefix,) if self.code else ()
        return (*(read.prefix for name, read in self.inputs.items() if name not in replaced), *code)

    def file_of_gate(self, file: str | None) -> str | None:
        """Return the object that holds the number of a quality gate."""
        if file is None:
            return None
        output, _, inner = file.partition("/")
        return f"{self.outputs[output].prefix}/{inner}"

    @property
    def quotas(self) -> Iterator[Quota]:
        """Those of all attempts, one of which runs at a time."""
        counts = {attempt.instance_type: attempt.instance_count for attempt in self.attempts}
        yield from instance_quotas("processing job", counts)


FACET = PlanModelKind(model=ProcessingJobPlan)
