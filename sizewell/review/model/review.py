"""The whole review: the one model that every format prints."""

from sizewell.review.model.base import ReviewModel
from sizewell.review.model.config import ConfigChange
from sizewell.review.model.cost import EnvironmentCost
from sizewell.review.model.hazards import Hazard
from sizewell.review.model.resources import Resources
from sizewell.review.model.security import Security
from sizewell.review.model.selection import SelectionChange
from sizewell.review.model.side import Note, Side
from sizewell.review.model.verdict import Gate, Verdict

#: Raised when the shape of the JSON changes.
SCHEMA_VERSION = 1


class Review(ReviewModel):
    """What a change does; the sections stand in the order in which they are read, danger first."""

    schema_version: int = SCHEMA_VERSION
    base: Side | None
    """None where base does not synthesize, and head is reviewed alone."""
    head: Side
    verdict: Verdict
    gate: Gate | None = None
    notes: tuple[Note, ...] = ()
    hazards: tuple[Hazard, ...] = ()
    """Dangers first, then warnings, then notices; production first."""
    security: Security = Security()
    cost: tuple[EnvironmentCost, ...] = ()
    selection: tuple[SelectionChange, ...] = ()
    config: tuple[ConfigChange, ...] = ()
    resources: Resources = Resources()
