"""How a review reads the plan of an endpoint of inference components."""

from sizewell.planning.saved_plan import SavedKind

FACET = SavedKind(read_as="endpoints")
