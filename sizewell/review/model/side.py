"""The two sides that are compared, and what could not be compared."""

from sizewell.review.model.base import ReviewModel
from sizewell.review.words import Severity


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
