"""What a check looks for, and what it finds."""

from dataclasses import dataclass

from sizewell.templates.template import Resource


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule, as the guide tells it."""

    id: str
    """In kebab case: ``Sizewell::id`` acknowledges a finding."""
    finds: str
    why: str
    """With a link to the page of AWS that says so."""


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """A fault, where it stands, and what to do.

    ``property_path`` starts below the resource, its parts joined by dots: ``Properties.ProductionVariants.0``. Inside
    the definition of a state machine it goes on: ``Properties.DefinitionString.States.Train.Next``.
    """

    rule_id: str
    logical_id: str
    property_path: str
    message: str
    what_to_do: str


def fault(resource: Resource, rule_id: str, path: str, message: str, what_to_do: str) -> Finding:
    """Return a fault of a resource; ``path`` starts below its properties."""
    return Finding(rule_id, resource.logical_id, f"Properties.{path}", message, what_to_do)
