"""How a review reads the plan of a pipeline."""

from sizewell.planning.saved_plan import SavedKind

FACET = SavedKind(read_as="others")
