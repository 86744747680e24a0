"""What one side of an environment says about all of its stacks, looked up once."""

from collections.abc import Mapping
from dataclasses import dataclass

from sizewell.review.comparison import EnvironmentPair
from sizewell.review.cost.stack_view import StackView, Workload
from sizewell.review.saved.output import Assembly
from sizewell.review.saved.plan import SavedPlan
from sizewell.templates.scaling_places import ScalingPlaces
from sizewell.templates.template import Stack
from sizewell.templates.values import mapping, number

FOUNDATION = "foundation"


@dataclass(frozen=True)
class Side:
    """One side: its plan's workloads by the name of their stack, and what holds for every stack."""

    workloads: Mapping[str, Workload]
    region: str | None = None
    availability_zones: int | None = None
    savings_plan_percent: float | None = None
    places: ScalingPlaces | None = None
    is_planned: bool = False

    def view(self, stack: Stack | None) -> StackView | None:
        """Return a stack as pricing needs it."""
        if stack is None:
            return None
        return StackView(
            stack,
            region=stack.region or self.region,
            workload=self.workloads.get(top_stack(stack.name)),
            availability_zones=self.availability_zones,
            savings_plan_percent=self.savings_plan_percent,
            places=self.places,
            is_planned=self.is_planned,
        )


def read_side(assembly: Assembly | None) -> Side:
    """Return what an output says; little where it has no plan."""
    if assembly is None:
        return Side({})
    places = ScalingPlaces(tuple(assembly.stacks.values()))
    plan = assembly.plan
    if plan is None:
        return Side({}, places=places)
    return Side(
        _workloads(plan),
        region=plan.region,
        availability_zones=plan.foundation.network.availability_zones,
        savings_plan_percent=_savings_plan_percent(assembly),
        places=places,
        is_planned=True,
    )


def workload_names(pair: EnvironmentPair) -> Mapping[str, str]:
    """Return by the name of its stack what a bill calls a workload; stacks of other apps keep their name."""
    names: dict[str, str] = {}
    for plan in pair.plans:
        names |= {stack_name: workload.name for stack_name, workload in _workloads(plan).items()}
        names[plan.foundation.stack_name] = FOUNDATION
    return names


def top_stack(stack_name: str) -> str:
    """Return the stack that a nested one belongs to."""
    return stack_name.partition("/")[0]


def _workloads(plan: SavedPlan) -> Mapping[str, Workload]:
    return {workload.stack_name: workload for workload in plan.workloads}


def _savings_plan_percent(assembly: Assembly) -> float | None:
    """Only the configuration says it."""
    environment = mapping(mapping(assembly.config).get("environment"))
    return number(mapping(mapping(environment.get("policy")).get("savings_plan")).get("discount_percent"))
