"""How a review reads the plan of a training job."""

from sizewell.planning.saved_workload import SavedKind, SavedTraining

FACET = SavedKind(model=SavedTraining, image_goes="trains")
