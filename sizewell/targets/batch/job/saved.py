"""How a review reads the plan of a training that AWS Batch runs."""

from typing import Any, ClassVar

from sizewell.planning.saved_workload import SavedKind, SavedTraining


class SavedBatchJob(SavedTraining):
    """One training that AWS Batch runs."""

    billed_by: ClassVar[str] = "EC2"
    volume_price: ClassVar[str] = "gp3_gb_month"

    instance_pools: tuple[str, ...]

    @property
    def decided(self) -> dict[str, Any]:
        """What it tries in turn, and on which types."""
        return {**super().decided, "instance_types": list(self.instance_pools)}


FACET = SavedKind(model=SavedBatchJob, image_goes="trains")
