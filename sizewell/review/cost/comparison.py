"""Compare the bills of both sides of an environment, workload by workload."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from sizewell.planning.saved_workload import SavedWorkload
from sizewell.review.comparison import EnvironmentPair
from sizewell.review.cost.bill import (
    WorkloadBill,
    known_components,
    merge_charges,
    price_dates,
    to_range,
    unknown_words,
)
from sizewell.review.cost.charges import ZERO, Amounts, Charge, known_sum, unknown
from sizewell.review.cost.deployments import second_fleet_components, second_fleets
from sizewell.review.cost.differences import causes, difference, sum_of_moves, unknown_changes
from sizewell.review.cost.pricer import PlannedSide, PlannedStack
from sizewell.review.cost.registry import StackBill, is_priced, price_stack
from sizewell.review.model import CostComponent, EnvironmentCost, WorkloadCost
from sizewell.review.saved.configuration import number, saved_environment, value_at
from sizewell.review.saved.output import Assembly
from sizewell.templates.endpoints import ENDPOINT, Endpoint
from sizewell.templates.template import StackPair
from sizewell.templates.variant_scaling import ScalingPlaces


@dataclass
class WorkloadStacks:
    """The stacks of one workload on one side, while they are collected."""

    is_planned: bool
    """Whether the side has a plan."""
    charges: list[Charge] = field(default_factory=list)
    not_priced: set[str] = field(default_factory=set)
    workload: SavedWorkload | None = None

    def add(self, stack: PlannedStack, bill: StackBill) -> None:
        """Add a stack with what its resources cost."""
        self.charges += bill.charges
        self.not_priced |= bill.not_priced
        self.workload = self.workload or stack.workload

    def complete(self, other: "WorkloadStacks") -> None:
        """Make unknown what only the plan of the other side knows: without a plan nothing says that it is gone."""
        if self.is_planned:
            return
        for slot, charge in {charge.slot: charge for charge in other.charges if charge.is_from_plan}.items():
            self.charges += unknown(charge.service, slot, slot=slot)

    def bill(self) -> WorkloadBill:
        """Return the bill of all of them."""
        return WorkloadBill(merge_charges(self.charges), frozenset(self.not_priced), self.workload)


@dataclass(frozen=True)
class _Compared:
    """One workload on both sides."""

    name: str
    base: WorkloadBill | None
    head: WorkloadBill | None
    once: tuple[CostComponent, ...]
    unpriced: tuple[str, ...]
    """The types without a price of which a resource changes."""

    @cached_property
    def unknown_changes(self) -> tuple[str, ...]:
        return (*unknown_changes(self.base, self.head), *self.unpriced)

    @cached_property
    def difference(self) -> Amounts | None:
        return None if self.unpriced else difference(self.base, self.head)


def compare_costs(pair: EnvironmentPair) -> EnvironmentCost:
    """Return the bill of an environment on both sides, with what moved it."""
    compared = tuple(_workloads(pair))
    base = _total(workload.base.usd_per_month for workload in compared if workload.base)
    head = _total(workload.head.usd_per_month for workload in compared if workload.head)
    unknown = tuple(f"{workload.name}: {what}" for workload in compared for what in workload.unknown_changes)
    change = (
        None
        if any(map(_is_unknown, compared))
        else sum_of_moves(workload.difference for workload in compared)
    )
    shown = {workload.name: workload.head for workload in compared if workload.head}
    plan = pair.plans[-1] if pair.plans else None
    return EnvironmentCost(
        environment=pair.name,
        region=plan.region if plan else _only_region(pair),
        base=to_range(base) if pair.base else None,
        head=to_range(head) if pair.head else None,
        difference=to_range(change),
        difference_percent=_percent(change, base),
        budget_usd_per_month=plan.bill.budget_usd_per_month if plan else None,
        unknown_changes=unknown,
        known_component_count=known_components(shown),
        unknown=unknown_words(shown),
        not_priced=tuple(sorted({name for bill in shown.values() for name in bill.not_priced})),
        price_dates=price_dates(
            bill for workload in compared for bill in (workload.base, workload.head) if bill
        ),
        workloads=_in_order(_workload_cost(pair.name, workload) for workload in compared),
    )


def _is_unknown(compared: _Compared) -> bool:
    """Tell whether what is known of a workload would hide what is not: of its capacity, or of a type without a price."""
    return compared.difference is None and bool(compared.unknown_changes)


def _side(assembly: Assembly | None) -> PlannedSide:
    """Return what an output says; little where it has no plan."""
    if assembly is None:
        return PlannedSide()
    environment = saved_environment(assembly) if assembly.plan else None
    percent = value_at(environment, "policy", "savings_plan", "discount_percent") if environment else None
    return PlannedSide(assembly.plan, number(percent), ScalingPlaces(tuple(assembly.stacks.values())))


def _workloads(pair: EnvironmentPair) -> Iterator[_Compared]:
    bases: dict[str, WorkloadStacks] = {}
    heads: dict[str, WorkloadStacks] = {}
    changed: set[str] = set()
    base, head = _side(pair.base), _side(pair.head)
    # What is deployed and stays as it is costs what the plan of head says.
    kept = replace(head, places=base.places) if pair.base and pair.base.is_deployed else base
    for stacks in pair.stacks:
        name = pair.name_of_stack(stacks.name)
        before = (kept if stacks.has_same_resources else base).stack(stacks.base)
        after = head.stack(stacks.head)
        bill = price_stack(after) if after else None
        same = bill if _alike(stacks, before, after) else None
        if before:
            bases.setdefault(name, WorkloadStacks(base.plan is not None)).add(
                before, same or price_stack(before)
            )
        if after and bill:
            heads.setdefault(name, WorkloadStacks(head.plan is not None)).add(after, bill)
        if same is None:
            changed.add(name)
    fleets: dict[str, list[Endpoint]] = {}
    for endpoint in second_fleets(pair.diff):
        fleets.setdefault(pair.name_of_stack(endpoint.stack.name), []).append(endpoint)
    unpriced = _unpriced_changes(pair)
    for name in sorted({*bases, *heads}):
        yield _compared(
            name,
            bases.get(name),
            heads.get(name),
            name in changed,
            fleets.get(name, ()),
            tuple(sorted(unpriced.get(name, ()))),
        )


def _unpriced_changes(pair: EnvironmentPair) -> dict[str, set[str]]:
    """Return the types without a price of which a resource comes, goes or changes, by workload."""
    found: dict[str, set[str]] = {}
    consequences = pair.consequences
    costly = {
        consequence.impact.place for consequence in consequences.known if consequence.row.effect == "money"
    }
    for impact in pair.diff.changes:
        if impact.action == "changed" and impact.place not in costly | consequences.unknown.keys():
            continue
        for resource_type in {resource.resource_type for resource in (impact.base, impact.head) if resource}:
            if not is_priced(resource_type):
                found.setdefault(pair.name_of_stack(impact.stack), set()).add(resource_type)
    return found


def _alike(stacks: StackPair, before: PlannedStack | None, after: PlannedStack | None) -> bool:
    """Whether both sides cost the same for certain: the same resources in the same place by the same plan."""
    return (
        before is not None
        and after is not None
        and stacks.has_same_resources
        and before.region == after.region
        and before.side.availability_zones == after.side.availability_zones
        and before.side.savings_plan_percent == after.side.savings_plan_percent
        and (before.workload is after.workload or before.workload == after.workload)
        and all(
            before.endpoint(resource).scaling == after.endpoint(resource).scaling
            for resource in after.resources.values()
            if resource.resource_type == ENDPOINT
        )
    )


def _compared(
    name: str,
    base: WorkloadStacks | None,
    head: WorkloadStacks | None,
    changed: bool,
    fleets: Iterable[Endpoint],
    unpriced: tuple[str, ...],
) -> _Compared:
    if base and head:
        base.complete(head)
        head.complete(base)
    after = head.bill() if head else None
    before = base.bill() if base and changed else after
    once = (line for endpoint in fleets for line in second_fleet_components(endpoint, after)) if after else ()
    return _Compared(name, before if base else None, after, tuple(once), unpriced)


def _workload_cost(environment: str, compared: _Compared) -> WorkloadCost:
    return WorkloadCost(
        environment=environment,
        workload=compared.name,
        base=compared.base.side if compared.base else None,
        head=compared.head.side if compared.head else None,
        difference=to_range(compared.difference),
        causes=causes(compared.base, compared.head),
        once=compared.once,
    )


def _in_order(workloads: Iterable[WorkloadCost]) -> tuple[WorkloadCost, ...]:
    """Changed ones first, the largest difference first, then by name."""

    def key(cost: WorkloadCost) -> tuple[bool, float, str]:
        unchanged = (cost.base is cost.head or cost.base == cost.head) and not cost.once
        return unchanged, -abs(cost.difference.expected or 0.0), cost.workload

    return tuple(sorted(workloads, key=key))


def _only_region(pair: EnvironmentPair) -> str | None:
    sides = (side for stacks in pair.stacks for side in (stacks.base, stacks.head))
    regions = {stack.region for stack in sides if stack and stack.region}
    return regions.pop() if len(regions) == 1 else None


def _total(amounts: Iterable[Amounts | None]) -> Amounts | None:
    """Nothing at all costs nothing; where there is something, the sum of what is known."""
    parts = tuple(amounts)
    return known_sum(parts) if parts else ZERO


def _percent(change: Amounts | None, base: Amounts | None) -> float | None:
    if change is None or base is None or not base.expected:
        return None
    return round(change.expected / base.expected * 100, 2)
