"""What a parity check says."""

from typing import Literal

from sizewell.review.model.base import ReviewModel

Kind = Literal["missing", "type", "hardware", "image", "permission", "setting", "size", "policy"]
"""The first six are differences of shape; sizes and policies may differ, and are listed all the same."""

FOUNDATION = "foundation"


class Difference(ReviewModel):
    """One place where the environments differ."""

    kind: Kind
    workload: str
    """Of the plan; ``foundation``, or the name of the stack without that of the environment."""
    subject: str
    """The construct path of the resource within its stack; the name of the stack where all of it is missing."""
    setting: str = ""
    """The path of the property, with the names of list items in it; or what is counted. Empty for whole resources."""
    staging: str | None
    """None where staging does not have it."""
    prod: str | None
    why: str
    """Why it matters, or why it may differ."""


class Parity(ReviewModel):
    """Two environments compared; which of them is called staging and which prod is for the caller to say."""

    schema_version: int = 1
    staging: str
    prod: str
    same_shape: bool
    differences: tuple[Difference, ...]
    """Of shape: by workload, kind and subject."""
    allowed: tuple[Difference, ...]
    """Sizes and policies: what makes staging smaller and easier to remove."""
    notes: tuple[str, ...] = ()
    """What could not be read, and is left out."""
