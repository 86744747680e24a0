"""One resource on both sides."""

from dataclasses import dataclass

from sizewell.review.comparison import StackPair
from sizewell.review.saved import Resource


@dataclass(frozen=True, slots=True)
class ResourcePair:
    """The same logical id of a stack on both sides; None on the side that does not have it, never on both."""

    stack: StackPair
    logical_id: str
    base: Resource | None
    head: Resource | None
