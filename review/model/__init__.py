"""The view model of a review: templates print it, and nothing else."""

from review.model.base import ReviewModel, Severity
from review.model.config import ConfigChange
from review.model.cost import CostComponent, CostSide, EnvironmentCost, Range, WorkloadCost
from review.model.hazards import Hazard
from review.model.resources import Action, Effect, PropertyChange, ResourceChange, Resources, StackChange
from review.model.review import SCHEMA_VERSION, Review
from review.model.security import Direction, Grant, IamChange, Security, SecurityChange
from review.model.selection import CandidatePoint, PickSide, SelectionChange
from review.model.side import Note, Side
from review.model.verdict import Gate, GateFailure, Verdict

__all__ = [
    "SCHEMA_VERSION",
    "Action",
    "CandidatePoint",
    "ConfigChange",
    "CostComponent",
    "CostSide",
    "Direction",
    "Effect",
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
