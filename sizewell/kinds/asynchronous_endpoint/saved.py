"""How a review reads the plan of an asynchronous endpoint."""

from sizewell.planning.saved_workload import SavedEndpoint, SavedKind

FACET = SavedKind(model=SavedEndpoint)
