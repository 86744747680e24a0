"""How a review reads the plan of a Lambda function."""

from sizewell.planning.saved_plan import SavedKind

FACET = SavedKind(read_as="on_demand")
