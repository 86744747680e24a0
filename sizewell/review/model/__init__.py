"""The view model of a review: templates print it, and nothing else."""

from sizewell.review.model.base import ReviewModel
from sizewell.review.model.config import ConfigChange
from sizewell.review.model.cost import CostComponent, CostSide, EnvironmentCost, Range, WorkloadCost
from sizewell.review.model.hazards import Hazard
from sizewell.review.model.resources import (
    PropertyChange,
    ResourceChange,
    Resources,
    StackChange,
)
from sizewell.review.model.review import SCHEMA_VERSION, Gate, GateFailure, Note, Review, Side, Verdict
from sizewell.review.model.security import Grant, IamChange, Security, SecurityChange
from sizewell.review.model.selection import CandidatePoint, PickSide, SelectionChange
from sizewell.review.words import Direction, Severity

__all__ = [
    "SCHEMA_VERSION",
    "CandidatePoint",
    "ConfigChange",
    "CostComponent",
    "CostSide",
    "Direction",
    "EnvironmentCost",
    "Gate",
    "GateFailure",
    "Grant",
    "Hazard",
    "IamChange",
    "Note",
    "PickSide",
    "PropertyChange",
    "Range",
    "ResourceChange",
    "Resources",
    "Review",
    "ReviewModel",
    "Security",
    "SecurityChange",
    "SelectionChange",
    "Severity",
    "Side",
    "StackChange",
    "Verdict",
    "WorkloadCost",
]
