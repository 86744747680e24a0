"""The plan of a batch transform."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, Self

from sizewell.facts.quotas import Quota, instance_quotas
from sizewell.facts.state_machines import EXECUTION_GRACE_S
from sizewell.instance_selection.results import Selection, TransformEstimate
from sizewell.planning.planned_logs import SharedLogs
from sizewell.planning.workload_plan import (
    ImagePlan,
    InferencePipelinePlan,
    JobPlan,
    ModelPackagePlan,
    PlanModel,
    PlanModelKind,
    SchedulePlan,
    StartsOnPlan,
)


class TransformAttemptPlan(PlanModel):
    """One rung of the ladder: tried when there is no capacity for the one before."""

    instance_type: str
    instance_count: int
    max_concurrent_transforms: int
    """Requests that are sent to an instance at a time."""
    invocation_timeout_s: int
    usd_per_hour: float | None
    """Of one instance; None is unknown."""
    encrypt_volume_with_key: bool
    """False where the type encrypts its NVMe disks in hardware: the API refuses a key there."""


class TransformDataPlan(PlanModel):
    """What one run reads, in the artifact bucket."""

    prefix: str
    content_type: str
    split: Literal["line", "none", "record-io", "tf-record"]
    compression: Literal["gzip", "none"]


class BatchTransformPlan(JobPlan):
    """One batch transform, as a state machine."""

    kind: Literal["batch-transform"] = "batch-transform"
    state_machine_name: str
    job_name_prefix: str
    job_tags: dict[str, str]
    """All. Jobs are not CloudFormation resources: without tags of their own they are missing from cost reports."""
    attempts: tuple[TransformAttemptPlan, ...]
    image: ImagePlan | None
    """None where a model package names it, and the artifact."""
    artifact_key: str | None
    artifact_compression: Literal["gzip", "none"]
    model_package: ModelPackagePlan | None = None
    pipeline: InferencePipelinePlan | None = None
    """None where the container of the model stands alone."""
    data: TransformDataPlan
    output_prefix: str
    """Each run has a folder below it."""
    accept: str | None
    """None leaves the type of the results to the container."""
    strategy: Literal["multi-record", "single-record"] | None
    """None where a request is a whole object."""
    max_payload_mb: int
    retries: int
    join: Literal["none", "input"]
    input_filter: str | None
    output_filter: str | None
    deadline_s: int
    """From the start of a run to its end, with every attempt: then its job is stopped."""
    schedule: SchedulePlan | None
    starts_on: StartsOnPlan | None
    runs_per_month: float | None
    """None where the configuration does not say how often it runs; the bill then counts one."""
    selection: Selection[TransformEstimate]

    @property
    def shared_logs(self) -> SharedLogs:
        """Those of its jobs."""
        return SharedLogs(of="TransformJobs", name=self.job_name_prefix)

    @property
    def images(self) -> tuple[ImagePlan, ...]:
        """Its container images, each once."""
        steps = self.pipeline.steps if self.pipeline else ()
        return tuple(image for image in (self.image, *(step.image for step in steps)) if image is not None)

    @property
    def time_limit_s(self) -> int:
        """After so long the state machine ends a run, with every attempt."""
        return self.deadline_s + EXECUTION_GRACE_S

    @property
    def served_artifacts(self) -> Iterator[tuple[str, str | None, Sequence[str]]]:
        """Its model, which may run on all types that are tried."""
        yield self.name, self.artifact_key, self.instance_pools

    @property
    def written_prefixes(self) -> tuple[str, ...]:
        """Where results are written."""
        return (self.output_prefix,)

    def read_prefixes(self, replaced: Mapping[str, str]) -> tuple[str, ...]:
        """Return what runs read in the artifact bucket: the rows, and the model."""
        return (self.data.prefix, *((self.artifact_key,) if self.artifact_key else ()))

    def with_variables(self, variables: Mapping[str, str]) -> Self:
        """Return the job whose containers have these environment variables as well."""
        pipeline = self.pipeline.with_variables(variables) if self.pipeline else None
        return super().with_variables(variables).model_copy(update={"pipeline": pipeline})

    @property
    def quotas(self) -> Iterator[Quota]:
        """Those of all attempts, one of which runs at a time."""
        counts = {attempt.instance_type: attempt.instance_count for attempt in self.attempts}
        yield from instance_quotas("transform job", counts)


FACET = PlanModelKind(model=BatchTransformPlan)
