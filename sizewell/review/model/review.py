"""The whole review, the one model that every format prints: two sides, the answer, what stops it, and the sections."""

from typing import Literal

from sizewell.review.model.base import ReviewModel
from sizewell.review.model.config import ConfigChange
from sizewell.review.model.cost import EnvironmentCost
from sizewell.review.model.hazards import Hazard
from sizewell.review.model.resources import Resources
from sizewell.review.model.security import Security
from sizewell.review.model.selection import SelectionChange
from sizewell.review.words import Severity

#: Raised when the shape of the JSON changes, or what a value means. 2: a verdict is safe only where every change is known to
#: be harmless, and a difference of costs is null where a part of it is unknown.
SCHEMA_VERSION = 2


class Side(ReviewModel):
    """One saved output, or several, one for each environment."""

    label: str
    """What the user called it: a git ref, worktree or a directory."""
    environments: tuple[str, ...]
    """The names of the environments that were synthesized."""
    stack_count: int
    """The number of stacks, nested ones included."""
    catalog_versions: tuple[str, ...] = ()
    """Digests of the catalogs that the plans were made with: one, unless the plans come from several releases."""


class Note(ReviewModel):
    """What a reader must know about the review itself: what was left out, and why."""

    severity: Severity
    """How much it matters: danger, warning or notice."""
    environment: str | None = None
    """The name of the environment; null where it is about all."""
    text: str
    """What was left out, and why, in one sentence."""
    detail: str = ""
    """More of it in several lines, such as the errors of a side that does not synthesize; empty where there is no
    more."""


Level = Literal["no change", "safe", "nothing found", "look", "danger"]
"""How carefully to look, the least first."""


class Verdict(ReviewModel):
    """What the reader needs before anything else."""

    level: Level
    """safe: every change is known to be harmless; nothing found: no rule has anything to say, which no rule may know;
    look: read what was found; danger: do not approve before you understood it."""
    sentence: str
    """The reason, in one sentence."""


class GateFailure(ReviewModel):
    """A condition of the gate that the change meets."""

    condition: str
    """The condition as it was written, such as cost-increase>10%."""
    reason: str
    """What of the change meets the condition."""


class Gate(ReviewModel):
    """The conditions, and those that stop the change."""

    conditions: tuple[str, ...]
    """All conditions, of the command line and of the policies."""
    failures: tuple[GateFailure, ...]
    """The conditions that stop the change."""


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
