"""How a review reads the plan of a batch transform."""

from typing import ClassVar

from sizewell.planning.saved_workload import SavedJob, SavedKind


class SavedBatchTransform(SavedJob):
    """One batch transform."""

    usage: ClassVar[str] = "transform"


FACET = SavedKind(model=SavedBatchTransform)
