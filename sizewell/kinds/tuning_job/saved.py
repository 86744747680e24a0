"""How a review reads the plan of a tuning job."""

from sizewell.planning.saved_plan import SavedKind

FACET = SavedKind(read_as="training_jobs")
