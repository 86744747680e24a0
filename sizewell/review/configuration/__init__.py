"""What a change means in the words of the configuration: by key, and by what follows from it."""

from sizewell.review.configuration.changes import compare_configurations

__all__ = ["compare_configurations"]
