"""How a review reads the plan of a batch transform in a cluster."""

from typing import Any, ClassVar

from sizewell.planning.saved_workload import SavedKind
from sizewell.targets.eks.runs_saved import SavedEksRuns


class SavedEksTransformJob(SavedEksRuns):
    """One batch transform in a cluster."""

    usage: ClassVar[str] = "transform"

    @property
    def decided(self) -> dict[str, Any]:
        """As of all runs, and how many nodes a run has."""
        return {**super().decided, "instance_count": self.instance_count}


FACET = SavedKind(model=SavedEksTransformJob)
