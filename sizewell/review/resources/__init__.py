"""What CloudFormation will do with each resource: added, changed, replaced, may be replaced, removed."""

from sizewell.review.resources.comparison import compare_resources

__all__ = ["compare_resources"]
