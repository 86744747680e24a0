"""A stack of one side of an environment, with what the plan and the other stacks of that side say about it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sizewell.planning.saved_plan import SavedEndpoint, SavedPlan, SavedTrainingJob
from sizewell.review.cost.prices import UnitPrice, service_price
from sizewell.review.saved.output import Assembly
from sizewell.templates.endpoints import Endpoint, ScalingPlaces
from sizewell.templates.template import Resource, Stack
from sizewell.templates.values import mapping, number

Workload = SavedEndpoint | SavedTrainingJob


@dataclass(frozen=True)
class PlannedSide:
    """One side of an environment: what holds for all of its stacks."""

    workloads: Mapping[str, Workload] = field(default_factory=dict)
    """Of the plan, by the name of their stack."""
    region: str | None = None
    """As the plan says: templates may leave it open."""
    availability_zones: int | None = None
    """Of the VPC that the plan makes."""
    savings_plan_percent: float | None = None
    """What the policy says that endpoints pay less than on demand."""
    places: ScalingPlaces | None = None
    """The scaling resources of all stacks."""
    is_planned: bool = False
    """Whether there is a plan, so that what the plan does not have is not there."""

    def stack(self, stack: Stack | None) -> "PlannedStack | None":
        """Return a stack as pricing needs it."""
        if stack is None:
            return None
        region = stack.region or self.region
        if stack.place.region != region:
            stack = replace(stack, spelled_for=(stack.place.account, region))
        return PlannedStack(stack, self, region, self.workloads.get(top_stack(stack.name)))


@dataclass(frozen=True)
class PlannedStack:
    """What a pricer knows beside the resource."""

    stack: Stack
    side: PlannedSide
    region: str | None
    workload: Workload | None

    @property
    def resources(self) -> Mapping[str, Resource]:
        """Those of the template by logical id."""
        return self.stack.resources

    def price(self, service: str, name: str) -> UnitPrice | None:
        """Return a price in the region of the stack."""
        return service_price(self.region, service, name)

    def endpoint(self, resource: Resource) -> Endpoint:
        """Return an endpoint of the stack with all that belongs to it."""
        return Endpoint(self.stack, resource, self.side.places)


def read_side(assembly: Assembly | None) -> PlannedSide:
    """Return what an output says; little where it has no plan."""
    if assembly is None:
        return PlannedSide()
    places = ScalingPlaces(tuple(assembly.stacks.values()))
    plan = assembly.plan
    if plan is None:
        return PlannedSide(places=places)
    return PlannedSide(
        workloads_by_stack(plan),
        region=plan.region,
        availability_zones=plan.foundation.network.availability_zones,
        savings_plan_percent=_savings_plan_percent(assembly),
        places=places,
        is_planned=True,
    )


def top_stack(stack_name: str) -> str:
    """Return the stack that a nested one belongs to."""
    return stack_name.partition("/")[0]


def workloads_by_stack(plan: SavedPlan) -> Mapping[str, Workload]:
    """Return the workloads of a plan by the name of their stack."""
    return {workload.stack_name: workload for workload in plan.workloads}


def _savings_plan_percent(assembly: Assembly) -> float | None:
    """Only the configuration says it."""
    environment = mapping(mapping(assembly.config).get("environment"))
    return number(mapping(mapping(environment.get("policy")).get("savings_plan")).get("discount_percent"))
