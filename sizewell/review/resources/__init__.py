"""What CloudFormation will do with each resource: added, changed, replaced, perhaps replaced, removed."""

from sizewell.review.resources.comparison import compare_resources

__all__ = ["compare_resources"]
