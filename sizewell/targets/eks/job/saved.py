"""How a review reads the plan of a training in a cluster."""

from typing import Any

from sizewell.planning.saved_workload import SavedKind, SavedTraining
from sizewell.targets.eks.runs_saved import SavedEksRuns


class SavedEksJob(SavedEksRuns, SavedTraining):
    """One training in a cluster."""

    spot: bool
    on_demand_fallback: bool

    @property
    def decided(self) -> dict[str, Any]:
        """As of all runs, and whether Spot is tried."""
        return {**super().decided, "spot": self.spot, "on_demand_fallback": self.on_demand_fallback}


FACET = SavedKind(model=SavedEksJob, image_goes="trains")
