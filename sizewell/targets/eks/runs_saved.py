"""How a review reads the plan of runs in a cluster."""

from typing import Any, ClassVar

from pydantic import model_validator

from sizewell.planning.saved_workload import SavedJob


class SavedEksRuns(SavedJob):
    """What runs and ends: all starts of its pods are one attempt, on Spot where that is tried and has capacity."""

    billed_by: ClassVar[str] = "EC2"
    volume_price: ClassVar[str] = "gp3_gb_month"

    instance_pools: tuple[str, ...]
    deadline_s: int

    @model_validator(mode="before")
    @classmethod
    def _one_attempt(cls, saved: dict[str, Any]) -> dict[str, Any]:
        count = saved["selection"]["chosen"]["estimate"]["instance_count"]
        known = {"spot": False, **saved, "instance_count": count}
        return {
            **saved,
            "attempts": [{key: known[key] for key in ("instance_type", "instance_count", "spot")}],
        }

    @property
    def decided(self) -> dict[str, Any]:
        """The types of its nodes, how many a run has, and until when it may last."""
        return {
            "instance_types": list(self.instance_pools),
            "instance_count": self.instance_count,
            "deadline_s": self.deadline_s,
        }
