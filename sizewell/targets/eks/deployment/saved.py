"""How a review reads the plan of a model that pods serve."""

from typing import Any, ClassVar

from sizewell.planning.saved_workload import SavedChoice, SavedKind, SavedModel, SavedScaling, TimeOf


class SavedNodePool(SavedModel):
    """The nodes of one workload."""

    instance_types: tuple[str, ...]
    volume_size_gib: int


class SavedEksDeployment(SavedChoice):
    """One model that pods serve."""

    time_of: ClassVar[TimeOf] = "latency"

    instance_type: str
    node_pool: SavedNodePool
    initial_instance_count: int
    scaling: SavedScaling | None
    average_requests_per_second: float

    @property
    def instance_count(self) -> int:
        """The pods that run at average load."""
        return self.initial_instance_count

    @property
    def time(self) -> float | None:
        """The 95th percentile of the latency at peak load, in milliseconds."""
        return self.selection.chosen.estimate.p95_latency_ms

    @property
    def decided(self) -> dict[str, Any]:
        """The types of its nodes, and between which numbers of pods it scales."""
        scaling, initial = self.scaling, self.initial_instance_count
        return {
            "instance_types": list(self.node_pool.instance_types),
            "initial_instance_count": initial,
            "min_instance_count": scaling.min_instance_count if scaling else initial,
            "max_instance_count": scaling.max_instance_count if scaling else initial,
        }


FACET = SavedKind(model=SavedEksDeployment, min_instances_of_policy=True)
