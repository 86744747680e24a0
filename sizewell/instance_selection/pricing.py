"""From a price per hour to a cost per month."""

from sizewell.facts.billing import HOURS_PER_MONTH
from sizewell.instance_selection.catalog import Price, PriceBasis
from sizewell.instance_selection.results import AnyEstimate, Cost


def endpoint_cost(price: Price, average_instances: float, *, discount_percent: float = 0.0) -> Cost:
    """Return the cost of an average number of instances that run all month, less the discount of a Savings Plan."""
    if price.usd_per_hour is None:
        return _cost(price, None)
    share = 1 - discount_percent / 100
    per_month = price.usd_per_hour * average_instances * HOURS_PER_MONTH * share
    if not discount_percent:
        return _cost(price, per_month)
    # A plan is paid for every hour, on-demand for the hours of use: both cost the same at this many hours.
    return _cost(
        price,
        per_month,
        note=f"less {discount_percent:g} % of a Savings Plan",
        break_even_hours=HOURS_PER_MONTH * share,
    )


def job_cost(price: Price, usd_per_month: float | None, *, discounted: bool) -> Cost:
    """Return the cost of jobs; a Spot discount is history, so the result is an estimate at best."""
    cost = _cost(price, usd_per_month)
    if not discounted or cost.basis is PriceBasis.UNKNOWN:
        return cost
    return Cost(
        usd_per_hour=cost.usd_per_hour,
        usd_per_month=cost.usd_per_month,
        basis=PriceBasis.ESTIMATED,
        price_date=cost.price_date,
        note="on-demand price less the published EC2 Spot saving of the region",
    )


def under_savings_plan(cost: Cost, discount_percent: float) -> Cost:
    """Return the cost of jobs, from which the discount is already taken, with the hours of use from which on the plan pays."""
    if not discount_percent:
        return cost
    note = f"less {discount_percent:g} % of a Savings Plan"
    return cost.model_copy(
        update={
            "note": f"{cost.note}; {note}" if cost.note else note,
            "savings_plan_break_even_hours": HOURS_PER_MONTH * (1 - discount_percent / 100),
        }
    )


#: The factor on the cost of a type that may miss a need at the upper end of its range. A convention.
NEAR_LIMIT_FACTOR = 1.1


def cost_order(cost: Cost, estimate: AnyEstimate) -> tuple[bool, float]:
    """Return the sort key: cheapest first, unknown last.

    A type may miss a need that lies within the range of its estimate. It counts as 10 % more expensive.
    """
    may_miss = estimate.near_limits or estimate.not_predicted
    return cost.usd_per_month is None, (cost.usd_per_month or 0.0) * (NEAR_LIMIT_FACTOR if may_miss else 1.0)


def _cost(
    price: Price, usd_per_month: float | None, *, note: str = "", break_even_hours: float | None = None
) -> Cost:
    return Cost.trusted(
        {
            "usd_per_hour": price.usd_per_hour,
            "usd_per_month": usd_per_month,
            "basis": price.basis,
            "price_date": price.as_of,
            "note": f"{price.note}; {note}" if price.note and note else price.note or note,
            "savings_plan_break_even_hours": break_even_hours,
        }
    )
