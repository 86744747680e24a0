"""One template as the functions that price resources see it: raw, because most of it costs nothing."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from sizewell.review.cost.prices import UnitPrice, service_price
from sizewell.review.saved.plan import SavedEndpoint, SavedTrainingJob
from sizewell.templates.canonical import Place, canonical_value
from sizewell.templates.scaling_places import (
    ScalingPlaces,
    endpoint_and_variant,
    inside_names,
    outside_names,
)
from sizewell.templates.template import Stack
from sizewell.templates.values import mapping

Workload = SavedEndpoint | SavedTrainingJob

_REFERENCE = re.compile(r"\$\{([A-Za-z0-9]+)(?:\.[^}]*)?\}")


@dataclass(frozen=True, slots=True)
class RawResource:
    """One resource as its template writes it."""

    logical_id: str
    resource_type: str
    properties: Mapping[str, Any]


@dataclass(frozen=True)
class StackView:
    """A stack of one side, with what the plan of that side says about it."""

    stack: Stack
    region: str | None
    workload: Workload | None = None
    availability_zones: int | None = None
    """Of the VPC that the plan makes."""
    savings_plan_percent: float | None = None
    """What the policy says that endpoints pay less than on demand."""
    places: ScalingPlaces | None = None
    """The scaling resources of the whole output; without them only those of this stack count."""
    is_planned: bool = False
    """Whether its side has a plan, so that what the plan does not have is not there."""

    @cached_property
    def resources(self) -> Mapping[str, RawResource]:
        """All resources by logical id."""
        written = self.stack.template.get("Resources")
        return {
            logical_id: _resource(logical_id, body)
            for logical_id, body in (written.items() if isinstance(written, Mapping) else ())
            if isinstance(body, Mapping)
        }

    def of_type(self, resource_type: str) -> Iterator[RawResource]:
        """Yield the resources of a type."""
        return (one for one in self.resources.values() if one.resource_type == resource_type)

    def price(self, service: str, name: str) -> UnitPrice | None:
        """Return a price in the region of the stack."""
        return service_price(self.region, service, name)

    def text(self, value: Any) -> str | None:
        """Return a value as one text, references as ``${Id.Attribute}``; None where it is anything else."""
        spelled = self.canonical(value)
        return spelled if isinstance(spelled, str) else None

    def canonical(self, value: Any) -> Any:
        """Return a value in the spelling that comparisons need."""
        return canonical_value(value, self._place)

    @cached_property
    def _place(self) -> Place:
        return replace(self.stack.place, region=self.region)

    def scaling(self, endpoint: RawResource, resource_type: str) -> Iterator[tuple["StackView", RawResource]]:
        """Yield the resources of a type that scale an endpoint, with their stack; those of this stack come first."""
        name = self.text(endpoint.properties.get("EndpointName"))
        inside = inside_names(endpoint.logical_id, name)
        yield from ((self, one) for one in self.of_type(resource_type) if self._names(one) in inside)
        for view, one in self.outside_scaling(endpoint):
            if one.resource_type == resource_type:
                yield view, one

    def outside_scaling(self, endpoint: RawResource) -> Iterator[tuple["StackView", RawResource]]:
        """Yield what scales an endpoint from other stacks of the same output."""
        if self.places is None:
            return
        names = outside_names(
            self.stack, endpoint.logical_id, self.text(endpoint.properties.get("EndpointName"))
        )
        for stack, logical_id in self.places.outside(self.stack.name, names):
            body = mapping(stack.template["Resources"][logical_id])
            yield StackView(stack, stack.region or self.region), _resource(logical_id, body)

    def _names(self, scaling: RawResource) -> str | None:
        """Return the text by which a resource names the endpoint that it scales."""
        if "ResourceId" in scaling.properties:
            parts = endpoint_and_variant(self.canonical(scaling.properties["ResourceId"]))
            return parts[0] if parts else None
        return self.text(scaling.properties.get("EndpointName"))

    def referred(self, value: Any, resource_type: str, name_property: str) -> RawResource | None:
        """Return the resource of the stack that a value refers to, by reference or by its name."""
        text = self.text(value)
        if text is None:
            return None
        if (reference := _REFERENCE.fullmatch(text)) and (found := self.resources.get(reference[1])):
            return found if found.resource_type == resource_type else None
        named = (one for one in self.of_type(resource_type) if name_property in one.properties)
        return next((one for one in named if self.text(one.properties[name_property]) == text), None)


def _resource(logical_id: str, body: Mapping[str, Any]) -> RawResource:
    properties = body.get("Properties")
    return RawResource(
        logical_id, str(body.get("Type", "")), properties if isinstance(properties, Mapping) else {}
    )
