"""How a review reads the plan of a model on instances of EC2."""

from typing import Any, ClassVar

from sizewell.planning.saved_workload import SavedChoice, SavedScaling, TimeOf, decided_counts


class SavedServedOnEc2(SavedChoice):
    """One model that containers serve, one on each instance."""

    time_of: ClassVar[TimeOf] = "latency"

    instance_type: str
    instance_pools: tuple[str, ...]
    initial_instance_count: int
    scaling: SavedScaling | None
    average_requests_per_second: float

    @property
    def instance_count(self) -> int:
        """The containers that run at average load."""
        return self.initial_instance_count

    @property
    def time(self) -> float | None:
        """The 95th percentile of the latency at peak load, in milliseconds."""
        return self.selection.chosen.estimate.p95_latency_ms

    @property
    def decided(self) -> dict[str, Any]:
        """The types of its instances, and between which numbers of containers it scales."""
        return {
            "instance_types": list(self.instance_pools),
            **decided_counts(self.initial_instance_count, self.scaling),
        }
