"""What a check looks for."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule, as the guide tells it."""

    id: str
    """In kebab case: ``Sizewell::id`` acknowledges a finding."""
    finds: str
    why: str
    """With a link to the page of AWS that says so."""
