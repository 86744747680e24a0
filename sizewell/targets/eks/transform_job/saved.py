"""How a review reads the plan of a batch transform in a cluster."""

from typing import ClassVar

from sizewell.planning.saved_workload import SavedKind
from sizewell.targets.eks.runs_saved import SavedEksRuns


class SavedEksTransformJob(SavedEksRuns):
    """One batch transform in a cluster."""

    usage: ClassVar[str] = "transform"


FACET = SavedKind(model=SavedEksTransformJob)
