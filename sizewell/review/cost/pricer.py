"""What prices a resource, and what it knows beside the resource: the stack, the plan and the other stacks of that side.

A pricer registers itself: its function in ``pricers/`` has the decorator ``prices``. Prices but those of instances stand in
``sizewell.facts.service_prices``.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from sizewell.facts.service_prices import service_price
from sizewell.planning.saved_plan import SavedPlan
from sizewell.planning.saved_workload import SavedOnDemand, SavedWorkload
from sizewell.review.cost.charges import Charge, UnitPrice
from sizewell.templates.endpoints import Endpoint
from sizewell.templates.template import Resource, Stack
from sizewell.templates.variant_scaling import ScalingPlaces


@dataclass(frozen=True)
class PlannedSide:
    """One side of an environment: what holds for all of its stacks."""

    plan: SavedPlan | None = None
    """Without one little is known; with one, what it does not have is not there."""
    savings_plan_percent: float | None = None
    """What the policy says that endpoints pay less than on demand."""
    places: ScalingPlaces | None = None
    """The scaling resources of all stacks."""

    @property
    def availability_zones(self) -> Mapping[str, int | None]:
        """Of each VPC that the plan makes, by the stack that makes it."""
        foundations = self.plan.foundations if self.plan else ()
        return {foundation.stack_name: foundation.network.availability_zones for foundation in foundations}

    def stack(self, stack: Stack | None) -> "PlannedStack | None":
        """Return a stack as pricing needs it, in the region that the plan says where the template leaves it open."""
        if stack is None:
            return None
        region = stack.region or (self.plan.region if self.plan else None)
        if stack.place.region != region:
            stack = replace(stack, spelled_for=(stack.place.account, region))
        plan = self.plan
        return PlannedStack(
            stack,
            self,
            region,
            plan.workload_of_stack(stack.name) if plan else None,
        )


@dataclass(frozen=True)
class PlannedStack:
    """What a pricer knows beside the resource."""

    stack: Stack
    side: PlannedSide
    region: str | None
    workload: SavedWorkload | None

    @property
    def on_demand(self) -> SavedOnDemand | None:
        """The serverless endpoint or the function that the stack is for."""
        return self.workload if isinstance(self.workload, SavedOnDemand) else None

    @property
    def resources(self) -> Mapping[str, Resource]:
        """Those of the template by logical id."""
        return self.stack.resources

    @property
    def availability_zones(self) -> int | None:
        """Of the VPC that the plan makes in the stack, or else where most of the environment runs."""
        known = self.side.availability_zones
        return known.get(self.stack.name, next(iter(known.values()), None))

    def price(self, service: str, name: str) -> UnitPrice | None:
        """Return a price in the region of the stack."""
        price = service_price(self.region, service, name)
        return UnitPrice(price.usd, price.unit, price.as_of) if price else None

    def endpoint(self, resource: Resource) -> Endpoint:
        """Return an endpoint of the stack with all that belongs to it."""
        return Endpoint(self.stack, resource, self.side.places)


Pricer = Callable[[Resource, PlannedStack], Iterable[Charge]]
"""Yields what one resource of a stack is charged for."""

_PRICERS: dict[str, Pricer] = {}


def prices(*resource_types: str) -> Callable[[Pricer], Pricer]:
    """Register a function for the resource types that it prices; each type has one."""

    def register(pricer: Pricer) -> Pricer:
        for resource_type in resource_types:
            if resource_type in _PRICERS:
                raise ValueError(f"{resource_type} has two pricers")
            _PRICERS[resource_type] = pricer
        return pricer

    return register


def registered_pricers() -> Mapping[str, Pricer]:
    """Return the pricers that were imported so far, by resource type."""
    return dict(sorted(_PRICERS.items()))
