"""Compare the bills of both sides of an environment, workload by workload."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from sizewell.review.comparison import EnvironmentPair
from sizewell.review.cost.amounts import ZERO, Amounts, known_sum, to_range
from sizewell.review.cost.charges import Charge, unknown
from sizewell.review.cost.components import WorkloadBill, merge_charges
from sizewell.review.cost.coverage import known_components, price_dates, unknown_words
from sizewell.review.cost.deployments import deployment_components
from sizewell.review.cost.differences import causes, difference
from sizewell.review.cost.registry import StackBill, price_stack
from sizewell.review.cost.sides import read_side, top_stack, workload_names
from sizewell.review.cost.stack_view import RawResource, StackView, Workload
from sizewell.review.cost.training import SERVICE, TRAINING_SLOTS
from sizewell.review.model.cost import CostComponent, EnvironmentCost, WorkloadCost
from sizewell.templates.template import StackPair


@dataclass
class _Pile:
    """The stacks of one workload on one side, while they are collected."""

    charges: list[Charge] = field(default_factory=list)
    not_priced: set[str] = field(default_factory=set)
    workload: Workload | None = None
    views: dict[str, StackView] = field(default_factory=dict)
    is_planned: bool = False

    def add(self, view: StackView, bill: StackBill) -> None:
        self.charges += bill.charges
        self.not_priced |= bill.not_priced
        self.workload = self.workload or view.workload
        self.views[view.stack.name] = view
        self.is_planned = view.is_planned

    def complete(self, other: "_Pile | None") -> None:
        """Make unknown what only the plan of the other side knows: without a plan nothing says that it is gone."""
        if other is None or self.is_planned or not other.is_planned:
            return
        there = {one.slot for one in other.charges}
        for slot in (slot for slot in TRAINING_SLOTS if slot in there):
            self.charges += unknown(SERVICE, slot, slot=slot)

    def bill(self) -> WorkloadBill:
        return WorkloadBill(merge_charges(self.charges), frozenset(self.not_priced), self.workload)


@dataclass(frozen=True)
class _Compared:
    """One workload on both sides."""

    name: str
    base: WorkloadBill | None
    head: WorkloadBill | None
    once: tuple[CostComponent, ...]

    @cached_property
    def difference(self) -> Amounts | None:
        return difference(self.base, self.head)


def compare_costs(pair: EnvironmentPair) -> EnvironmentCost:
    """Return the bill of an environment on both sides, with what moved it."""
    compared = tuple(_workloads(pair))
    base = _total(one.base.usd_per_month for one in compared if one.base)
    head = _total(one.head.usd_per_month for one in compared if one.head)
    change = _total(one.difference for one in compared)
    shown = {one.name: one.head for one in compared if one.head}
    plan = pair.plans[-1] if pair.plans else None
    return EnvironmentCost(
        environment=pair.name,
        region=plan.region if plan else _only_region(pair),
        base=to_range(base) if pair.base else None,
        head=to_range(head) if pair.head else None,
        difference=to_range(change),
        difference_percent=_percent(change, base),
        budget_usd_per_month=plan.bill.budget_usd_per_month if plan else None,
        known_component_count=known_components(shown),
        unknown=unknown_words(shown),
        not_priced=tuple(sorted({name for bill in shown.values() for name in bill.not_priced})),
        price_dates=price_dates(bill for one in compared for bill in (one.base, one.head) if bill),
        workloads=_in_order(_workload_cost(pair.name, one) for one in compared),
    )


def _workloads(pair: EnvironmentPair) -> Iterator[_Compared]:
    bases: dict[str, _Pile] = {}
    heads: dict[str, _Pile] = {}
    changed: set[str] = set()
    base, head, names = read_side(pair.base), read_side(pair.head), workload_names(pair)
    for stacks in pair.stacks:
        name = names.get(top_stack(stacks.name), top_stack(stacks.name))
        before, after = base.view(stacks.base), head.view(stacks.head)
        bill = price_stack(after) if after else None
        same = bill if _alike(stacks, before, after) else None
        if before:
            bases.setdefault(name, _Pile()).add(before, same or price_stack(before))
        if after and bill:
            heads.setdefault(name, _Pile()).add(after, bill)
        if same is None:
            changed.add(name)
    for name in sorted({*bases, *heads}):
        yield _compared(name, bases.get(name), heads.get(name), name in changed)


def _alike(stacks: StackPair, before: StackView | None, after: StackView | None) -> bool:
    """Whether both sides cost the same for certain: the same template in the same place by the same plan."""
    return (
        before is not None
        and after is not None
        and stacks.is_unchanged
        and before.region == after.region
        and before.availability_zones == after.availability_zones
        and before.savings_plan_percent == after.savings_plan_percent
        and (before.workload is after.workload or before.workload == after.workload)
        and _scaling_elsewhere(before, after) == _scaling_elsewhere(after, after)
    )


def _scaling_elsewhere(side: StackView, alike: StackView) -> list[RawResource]:
    """Return what scales the endpoints of a stack from other ones; ``alike`` is the same template, read already."""
    endpoints = alike.of_type("AWS::SageMaker::Endpoint")
    return [one for endpoint in endpoints for _, one in side.outside_scaling(endpoint)]


def _compared(name: str, base: _Pile | None, head: _Pile | None, changed: bool) -> _Compared:
    if base and head:
        base.complete(head)
        head.complete(base)
    after = head.bill() if head else None
    if not changed:
        return _Compared(name, after, after, ())
    once = tuple(_once(base, head, after)) if base and head and after else ()
    return _Compared(name, base.bill() if base else None, after, once)


def _once(base: _Pile, head: _Pile, bill: WorkloadBill) -> Iterator[CostComponent]:
    for name, view in sorted(head.views.items()):
        if before := base.views.get(name):
            yield from deployment_components(before, view, bill)


def _workload_cost(environment: str, one: _Compared) -> WorkloadCost:
    return WorkloadCost(
        environment=environment,
        workload=one.name,
        base=one.base.side if one.base else None,
        head=one.head.side if one.head else None,
        difference=to_range(one.difference),
        causes=causes(one.base, one.head),
        once=one.once,
    )


def _in_order(workloads: Iterable[WorkloadCost]) -> tuple[WorkloadCost, ...]:
    """Changed ones first, the largest difference first, then by name."""

    def key(one: WorkloadCost) -> tuple[bool, float, str]:
        unchanged = (one.base is one.head or one.base == one.head) and not one.once
        return unchanged, -abs(one.difference.expected or 0.0), one.workload

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
