"""How a review reads the plan of an endpoint of inference components."""

from sizewell.planning.saved_workload import SavedEndpoint, SavedKind

FACET = SavedKind(model=SavedEndpoint, min_instances_of_policy=True)
