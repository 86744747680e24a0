"""From a price per hour to a cost per month."""

from instance_selection.catalog import Catalog, InstanceType, Price, PriceBasis, Usage
from instance_selection.results import Cost

#: 365 x 24 / 12, the convention of the AWS Pricing Calculator.
HOURS_PER_MONTH = 730


def endpoint_cost(
    catalog: Catalog, instance_type: InstanceType, usage: Usage, average_instances: float
) -> Cost:
    """Return the cost of an average number of instances that run all month."""
    price = catalog.price(instance_type.name, usage)
    per_month = (
        None if price.usd_per_hour is None else price.usd_per_hour * average_instances * HOURS_PER_MONTH
    )
    return _cost(price, per_month)


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


def cost_order(cost: Cost) -> tuple[bool, float]:
    """Return the sort key: cheapest first, unknown last."""
    return cost.usd_per_month is None, cost.usd_per_month or 0.0


def _cost(price: Price, usd_per_month: float | None) -> Cost:
    return Cost(
        usd_per_hour=price.usd_per_hour,
        usd_per_month=usd_per_month,
        basis=price.basis,
        price_date=price.as_of,
        note=price.note or "",
    )
