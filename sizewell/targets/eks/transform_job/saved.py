"""How a review reads the plan of a batch transform in a cluster."""

from typing import Any, ClassVar

from pydantic import model_validator

from sizewell.planning.saved_workload import SavedJob, SavedKind


class SavedEksTransformJob(SavedJob):
    """One batch transform in a cluster: its only attempt is on demand."""

    usage: ClassVar[str] = "transform"
    billed_by: ClassVar[str] = "EC2"
    volume_price: ClassVar[str] = "gp3_gb_month"

    instance_pools: tuple[str, ...]
    deadline_s: int

    @model_validator(mode="before")
    @classmethod
    def _one_attempt(cls, saved: dict[str, Any]) -> dict[str, Any]:
        attempt = {key: saved[key] for key in ("instance_type", "instance_count")}
        return {**saved, "attempts": [attempt]}

    @property
    def decided(self) -> dict[str, Any]:
        """The types of its nodes, how many there are, and until when a run may last."""
        return {
            "instance_types": list(self.instance_pools),
            "instance_count": self.instance_count,
            "deadline_s": self.deadline_s,
        }


FACET = SavedKind(model=SavedEksTransformJob)
