"""How a review reads the plan of a training in a cluster."""

from typing import Any, ClassVar

from pydantic import model_validator

from sizewell.planning.saved_workload import SavedKind, SavedTraining


class SavedEksJob(SavedTraining):
    """One training in a cluster: all its starts are one attempt, on Spot where that has capacity."""

    billed_by: ClassVar[str] = "EC2"
    volume_price: ClassVar[str] = "gp3_gb_month"

    instance_pools: tuple[str, ...]
    spot: bool
    on_demand_fallback: bool

    @model_validator(mode="before")
    @classmethod
    def _one_attempt(cls, saved: dict[str, Any]) -> dict[str, Any]:
        attempt = {"instance_type": saved["instance_type"], "instance_count": 1, "spot": saved["spot"]}
        return {**saved, "attempts": [attempt]}

    @property
    def decided(self) -> dict[str, Any]:
        """The types of its nodes, whether Spot is tried, and until when a run may last."""
        return {
            "instance_types": list(self.instance_pools),
            "spot": self.spot,
            "on_demand_fallback": self.on_demand_fallback,
            "deadline_s": self.deadline_s,
        }


FACET = SavedKind(model=SavedEksJob, image_goes="trains")
