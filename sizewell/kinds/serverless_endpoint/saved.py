"""How a review reads the plan of a serverless endpoint."""

from sizewell.planning.saved_plan import SavedKind

FACET = SavedKind(read_as="on_demand")
