"""How a review reads the plan of a model that tasks serve."""

from sizewell.planning.saved_workload import SavedKind
from sizewell.targets.serving.saved import SavedServedOnEc2

FACET = SavedKind(model=SavedServedOnEc2, min_instances_of_policy=True)
