"""The expected monthly bill, as plain data."""

from sizewell.instance_selection.catalog import PriceBasis
from sizewell.planning.workload_plan import PlanModel


class BillItem(PlanModel):
    """What is paid for one kind of thing, called as a review calls it; None is unknown, never zero."""

    service: str
    name: str
    usd_per_month: float | None
    basis: PriceBasis
    is_fixed: bool
    """Whether it is paid whatever the load; instances, and the volumes that come with them, are not."""


class BillLine(PlanModel):
    """What one workload costs, or the foundation that all share; None is unknown, never zero."""

    workload: str
    usd_per_month: float | None
    """The sum of the items that are known; None where the first of them, which is most of it, is not."""
    basis: PriceBasis
    """Of the first item."""
    items: tuple[BillItem, ...]
    paid_by_use: tuple[str, ...]
    """What depends on a use that nothing states."""


class Bill(PlanModel):
    """The expected monthly bill of all that the stacks create, at average load."""

    lines: tuple[BillLine, ...]
    """Of the workloads, and of the foundation as the last."""
    usd_per_month: float | None
    """The sum of the items that are known; None where none of those that cost anything is."""
    fixed_usd_per_month: float
    """What of that sum is paid whatever the load."""
    published_share: float | None
    """The share of that sum whose prices AWS publishes; None when the sum is zero."""
    unknown: tuple[str, ...]
    """Lines without an amount."""
    budget_usd_per_month: float | None
    not_included: tuple[str, ...]
    """What is paid by use, and has no amount."""

    def fixed_costs(self) -> dict[str, float]:
        """Return what is known to be paid whatever the load by its name, over all lines, the largest amount first."""
        costs: dict[str, float] = {}
        for item in (item for line in self.lines for item in line.items if item.is_fixed):
            if item.usd_per_month is not None:
                costs[item.name] = costs.get(item.name, 0.0) + item.usd_per_month
        return dict(sorted(costs.items(), key=lambda cost: (-cost[1], cost[0])))

    def unknown_items(self) -> dict[str, tuple[str, ...]]:
        """Return what has no amount by service and name, with its lines; all of a line that is unknown goes without saying."""
        found: dict[str, tuple[str, ...]] = {}
        for line in (line for line in self.lines if line.usd_per_month is not None):
            for item in (item for item in line.items if item.usd_per_month is None):
                name = f"{item.service} {item.name}"
                found[name] = (*found.get(name, ()), line.workload)
        return found
