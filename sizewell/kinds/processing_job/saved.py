"""How a review reads the plan of a processing job."""

from sizewell.planning.saved_plan import SavedKind

FACET = SavedKind(read_as="processing_jobs")
