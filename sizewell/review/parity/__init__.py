"""Whether one environment has the shape of another, with smaller sizes: staging, and prod that it stands for."""

from sizewell.review.parity.compare import compare_shape
from sizewell.review.parity.model import Difference, DifferenceGroup, Kind, Parity, group_differences

__all__ = ["Difference", "DifferenceGroup", "Kind", "Parity", "compare_shape", "group_differences"]
