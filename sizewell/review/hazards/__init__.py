"""What can go wrong when a change is deployed: one small rule for each way."""

from sizewell.review.hazards.finding import find_hazards
from sizewell.review.hazards.registry import HAZARD_RULES

__all__ = ["HAZARD_RULES", "find_hazards"]
