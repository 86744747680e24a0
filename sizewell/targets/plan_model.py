"""What all plans of workloads on instances of EC2 have in common, whatever launches them."""

from typing import ClassVar

from sizewell.planning.workload_plan import ImagePlan, InstanceWorkloadPlan, PlanModel, SchedulePlan


class ClusterPlan(PlanModel):
    """A cluster that exists."""

    key: str
    """Its name in the configuration."""
    name: str


class OnEc2Plan(InstanceWorkloadPlan):
    """Containers, each of which has an instance to itself."""

    in_vpc: ClassVar[bool] = False
    """The cluster may be in another VPC than that of the place."""

    cluster: ClusterPlan
    instance_type: str
    image: ImagePlan

    @property
    def images(self) -> tuple[ImagePlan, ...]:
        """That of its container."""
        return (self.image,)

    @property
    def target(self) -> str:
        """The name of the cluster in the configuration."""
        return self.cluster.key

    @property
    def locked_facts(self) -> dict[str, object]:
        """The instances of the choice, and where they run."""
        return {**super().locked_facts, "target": self.target}


class RunOnEc2Plan(OnEc2Plan):
    """What runs and ends."""

    gpu_count: int
    """NVIDIA GPUs of an instance."""
    volume_size_gib: int
    """For what a run holds; the system and the image not counted."""
    job_tags: dict[str, str]
    output_prefix: str
    deadline_s: int
    """From the start of a run to its end, waiting for capacity included."""
    schedule: SchedulePlan | None
    """None where people start the runs."""
    runs_per_month: float | None
    """None where the configuration does not say how often it runs; the bill then counts one."""
