"""The two sides that are compared, and what could not be compared."""

from sizewell.review.model.base import ReviewModel, Severity


class Side(ReviewModel):
    """One saved output, or several, one for each environment."""

    label: str
    """What the user called it: a git ref, ``worktree`` or a directory."""
    environments: tuple[str, ...]
    stack_count: int
    """Nested stacks count too."""
    catalog_versions: tuple[str, ...] = ()
    """Digests of the catalogs that the plans were made with; one unless something is mixed."""


class Note(ReviewModel):
    """What a reader must know about the review itself: what was left out, and why."""

    severity: Severity
    environment: str | None = None
    text: str
    detail: str = ""
    """Several lines: the errors of a side that does not synthesize, for example."""
