"""What CloudFormation will do with each resource: added, changed, replaced, perhaps replaced, removed."""

from sizewell.review.resources.comparison import compare_resources
from sizewell.review.resources.stateful import is_stateful, stateful_types

__all__ = ["compare_resources", "is_stateful", "stateful_types"]
