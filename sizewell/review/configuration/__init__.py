"""What a change means in the words of the configuration: by key, and by what follows from it."""

from sizewell.review.config_differences import MISSING, Difference, differences
from sizewell.review.configuration.changes import compare_configurations
from sizewell.review.saved.configuration import Environment, saved_environment
from sizewell.review.yaml_text import one_line

__all__ = [
    "MISSING",
    "Difference",
    "Environment",
    "compare_configurations",
    "differences",
    "one_line",
    "saved_environment",
]
