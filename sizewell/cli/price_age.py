"""Prices of a plan that are old. It is said to who runs a command, and in nothing that is written: it depends on the day."""

from collections.abc import Iterator

from sizewell.planning.plan import DeploymentPlan
from sizewell.price_list import age


def old_price_warnings(plan: DeploymentPlan) -> Iterator[str]:
    """Yield a line for each region whose picks rest on prices that are too old."""
    now = age.today()
    regions = {
        foundation.place: region for foundation in plan.foundations.values() if (region := foundation.region)
    }
    old: dict[str, dict[str, str]] = {}
    for workload in plan.on_instances:
        day = workload.selection.chosen.cost.price_date
        if day is not None and age.days_old(day, now) > age.MAX_AGE_DAYS:
            old.setdefault(regions[workload.place], {})[workload.name] = day
    for region, days in sorted(old.items()):
        named = ", ".join(f"{name} ({day})" for name, day in sorted(days.items()))
        yield (
            f"the price of {named} is older than {age.MAX_AGE_DAYS} days; for today's prices: "
            f"sizewell catalog refresh --region {region}"
        )
