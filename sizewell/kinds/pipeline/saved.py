"""How a review reads the plan of a pipeline."""

from sizewell.planning.saved_workload import SavedKind, SavedWorkload

FACET = SavedKind(model=SavedWorkload)
