"""How a review reads the plan of a model on instances of EC2."""

from typing import Any

from sizewell.planning.saved_workload import SavedServing


class SavedServedOnEc2(SavedServing):
    """One model that containers serve, one on each instance."""

    instance_pools: tuple[str, ...]

    @property
    def decided(self) -> dict[str, Any]:
        """The types of its instances, and between which numbers of containers it scales."""
        return {"instance_types": list(self.instance_pools), **self.decided_counts}
