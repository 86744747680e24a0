"""How a review reads the plan of a model whose tasks work off a queue."""

from sizewell.planning.saved_workload import SavedKind
from sizewell.targets.serving.saved import SavedServedOnEc2

FACET = SavedKind(model=SavedServedOnEc2)
