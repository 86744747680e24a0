"""The resources of a template."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sizewell.checks.finding import Finding
from sizewell.templates.literals import mapping

Template = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource by its logical id."""

    logical_id: str
    type: str
    properties: Mapping[str, Any]

    def finding(self, rule_id: str, path: str, message: str, what_to_do: str) -> Finding:
        """Return a fault of this resource; ``path`` starts below its properties."""
        return Finding(rule_id, self.logical_id, f"Properties.{path}", message, what_to_do)


def resources(template: Template, *types: str) -> Iterator[Resource]:
    """Yield the resources of some types, in the order of the template."""
    for logical_id, body in mapping(template.get("Resources")).items():
        resource_type = mapping(body).get("Type")
        if isinstance(resource_type, str) and resource_type in types:
            yield Resource(str(logical_id), resource_type, mapping(body.get("Properties")))


def find(template: Template, logical_id: str | None, resource_type: str) -> Resource | None:
    """Return the resource of that id and type, or None."""
    return next((r for r in resources(template, resource_type) if r.logical_id == logical_id), None)
