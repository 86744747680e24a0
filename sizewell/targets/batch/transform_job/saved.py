"""How a review reads the plan of a batch transform that AWS Batch runs."""

from typing import Any, ClassVar

from sizewell.planning.saved_workload import SavedJob, SavedKind


class SavedBatchTransformJob(SavedJob):
    """One batch transform that AWS Batch runs: its only attempt is on demand."""

    usage: ClassVar[str] = "transform"
    billed_by: ClassVar[str] = "EC2"
    volume_price: ClassVar[str] = "gp3_gb_month"

    instance_pools: tuple[str, ...]
    deadline_s: int

    @property
    def decided(self) -> dict[str, Any]:
        """The types of its instances, how many there are, and until when a run may last."""
        return {
            "instance_types": list(self.instance_pools),
            "instance_count": self.instance_count,
            "deadline_s": self.deadline_s,
        }


FACET = SavedKind(model=SavedBatchTransformJob)
