"""How a review reads the plan of a real-time endpoint."""

from sizewell.planning.saved_workload import SavedEndpoint, SavedKind

FACET = SavedKind(model=SavedEndpoint, min_instances_of_policy=True)
