"""How a review reads the plan of a batch transform."""

from sizewell.planning.saved_plan import SavedKind

FACET = SavedKind(read_as="batch_transforms")
