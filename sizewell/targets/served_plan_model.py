"""The plan of a model on instances of EC2, whatever places its containers there."""

from typing import ClassVar, Literal

from sizewell.instance_selection.results import EndpointEstimate, Selection
from sizewell.planning.workload_plan import AlarmPlan, ImagePlan, InstanceWorkloadPlan, PlanModel


class ReplicaScalingPlan(PlanModel):
    """Between which numbers of containers it scales, and by what."""

    min_instance_count: int
    max_instance_count: int
    signal: Literal["invocations", "concurrency"]
    target_value: float
    """Of one container: requests in a second, or requests in progress."""
    scale_out_cooldown_s: int
    scale_in_cooldown_s: int
    derivation: str
    """Where the target comes from."""


class ClusterPlan(PlanModel):
    """A cluster that exists."""

    key: str
    """Its name in the configuration."""
    name: str


class ServedOnEc2Plan(InstanceWorkloadPlan):
    """One model that containers serve, one on each instance."""

    in_vpc: ClassVar[bool] = False
    """The cluster may be in another VPC than that of the place."""

    cluster: ClusterPlan
    instance_type: str
    image: ImagePlan
    artifact_key: str | None
    """None where the model is in the image."""
    artifact_compression: Literal["gzip", "none"]
    initial_instance_count: int
    """Containers at average load."""
    average_requests_per_second: float
    max_concurrent_requests: int
    """Beyond as many requests in one container, more are refused."""
    scaling: ReplicaScalingPlan | None
    """None where the number of containers is fixed."""
    alarms: dict[str, AlarmPlan]
    """By the key that the alarm has in the configuration."""
    selection: Selection[EndpointEstimate]

    @property
    def images(self) -> tuple[ImagePlan, ...]:
        """That of its model."""
        return (self.image,)

    @property
    def runs_at_all_hours(self) -> bool:
        """Whether some container always runs."""
        return True

    @property
    def locked_facts(self) -> dict[str, object]:
        """The containers at average load and at peak."""
        estimate = self.selection.chosen.estimate
        return {
            "instance_count": estimate.instances_at_average,
            "peak_instance_count": estimate.instances_at_peak,
            "kind": None,
            "target": self.target,
        }

    @property
    def target(self) -> str:
        """The name of the cluster in the configuration."""
        return self.cluster.key
