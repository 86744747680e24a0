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
    """The version of this form of JSON, raised when its shape changes."""
    base: Side | None
    """What is compared against; null where base does not synthesize, and head is reviewed alone."""
    head: Side
    """What is reviewed."""
    verdict: Verdict
    """The answer in one line."""
    gate: Gate | None = None
    """The conditions that stop a change, and those that it meets; null where there are none."""
    notes: tuple[Note, ...] = ()
    """What could not be compared, and why."""
    hazards: tuple[Hazard, ...] = ()
    """What can go wrong at the deployment: dangers first, then warnings, then notices; production first."""
    security: Security = Security()
    """What changes in permissions, reachability and encryption."""
    cost: tuple[EnvironmentCost, ...] = ()
    """The bill of each environment."""
    selection: tuple[SelectionChange, ...] = ()
    """The workloads whose instance type, price or lock has changed, with the reasons."""
    config: tuple[ConfigChange, ...] = ()
    """The keys of the configuration that have changed."""
    resources: Resources = Resources()
    """What CloudFormation will do with each resource."""
