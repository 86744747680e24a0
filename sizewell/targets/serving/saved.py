"""How a review reads the plan of a model on instances of EC2."""

from typing import Any

from sizewell.planning.saved_workload import SavedServing, SavedSpot


class SavedServedOnEc2(SavedServing):
    """One model that containers serve, one on each instance."""

    instance_pools: tuple[str, ...]
    on_spot: SavedSpot | None = None

    @property
    def spot_capacity(self) -> SavedSpot | None:
        """What of its instances is on Spot; None where all are on demand."""
        return self.on_spot

    @property
    def decided(self) -> dict[str, Any]:
        """The types of its instances, how many of them are on Spot, and between which numbers of containers it scales."""
        return {
            "instance_types": list(self.instance_pools),
            **({"spot_share": self.on_spot.share} if self.on_spot else {}),
            **self.decided_counts,
        }
