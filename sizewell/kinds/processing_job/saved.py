"""How a review reads the plan of a processing job."""

from typing import ClassVar

from sizewell.planning.saved_workload import SavedJob, SavedKind


class SavedProcessingJob(SavedJob):
    """One processing job."""

    usage: ClassVar[str] = "processing"
    in_snapshot: ClassVar[frozenset[str]] = SavedJob.in_snapshot | {"volume_size_gib"}


FACET = SavedKind(model=SavedProcessingJob, image_goes="runs")
