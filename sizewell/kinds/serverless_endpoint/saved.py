"""How a review reads the plan of a serverless endpoint."""

from sizewell.planning.saved_workload import SavedKind, SavedOnDemand

FACET = SavedKind(model=SavedOnDemand)
