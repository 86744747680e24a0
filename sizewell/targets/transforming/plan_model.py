"""The plan of a batch transform on instances of EC2, whatever launches them."""

from typing import ClassVar, Literal

from sizewell.instance_selection.results import Selection, TransformEstimate
from sizewell.planning.workload_plan import ImagePlan, InstanceWorkloadPlan, PlanModel, SchedulePlan
from sizewell.targets.serving.plan_model import ClusterPlan


class TransformedDataPlan(PlanModel):
    """What one run reads, in the artifact bucket, and how it becomes requests."""

    prefix: str
    content_type: str
    accept: str | None
    """None leaves the type of the results to the container."""
    split: Literal["line", "none"]
    compression: Literal["gzip", "none"]
    strategy: Literal["multi-record", "single-record"]
    max_payload_mb: int


class TransformedOnEc2Plan(InstanceWorkloadPlan):
    """One batch transform, whose containers have an instance each to themselves and share its objects."""

    in_vpc: ClassVar[bool] = False
    """The cluster may be in another VPC than that of the place."""

    cluster: ClusterPlan
    instance_type: str
    instance_count: int
    """The instances of a run, all at the same time."""
    image: ImagePlan
    artifact_key: str | None
    """None where the model is in the image."""
    artifact_compression: Literal["gzip", "none"]
    gpu_count: int
    """NVIDIA GPUs of an instance."""
    volume_size_gib: int
    """For the model; the system and the image not counted."""
    job_tags: dict[str, str]
    data: TransformedDataPlan
    output_prefix: str
    """Each run has a folder below it."""
    max_concurrent_requests: int
    """Requests that are sent to a container at a time."""
    answer_timeout_s: int
    startup_s: int
    """What a container may take to start."""
    retries: int
    deadline_s: int
    """From the start of a run to its end, waiting for capacity included."""
    schedule: SchedulePlan | None
    runs_per_month: float | None
    """None where the configuration does not say how often it runs; the bill then counts one."""
    selection: Selection[TransformEstimate]

    @property
    def images(self) -> tuple[ImagePlan, ...]:
        """That of its model."""
        return (self.image,)

    @property
    def target(self) -> str:
        """The name of the cluster in the configuration."""
        return self.cluster.key

    @property
    def locked_facts(self) -> dict[str, object]:
        """The instances of a run, and where they run."""
        return {**super().locked_facts, "target": self.target}
