"""How a review reads the plan of a real-time endpoint."""

from sizewell.planning.saved_plan import SavedKind

FACET = SavedKind(read_as="endpoints")
