"""What a rule is, and what it finds."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sizewell.review.hazards.situation import Situation
from sizewell.review.model import Severity


@dataclass(frozen=True, slots=True)
class Found:
    """A hazard, but for what its rule and its place say already."""

    severity: Severity
    stack: str
    logical_id: str | None
    subject: str
    cause: str
    consequence: str
    what_to_do: str


@dataclass(frozen=True, slots=True)
class HazardRule:
    """One way in which a deployment goes wrong."""

    name: str
    """In kebab case: what a gate names."""
    description: str
    """One line for the docs."""
    find: Callable[[Situation], Iterator[Found]]
