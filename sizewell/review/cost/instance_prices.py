"""What an hour of an instance costs on one side: as its plan says, else as the catalog does."""

from dataclasses import replace

from sizewell.review.cost.prices import UnitPrice, catalog_price
from sizewell.review.cost.stack_view import StackView
from sizewell.review.cost.wording import number_words
from sizewell.review.saved.plan import SavedCandidate


def hosting_price(stack: StackView, instance_type: str) -> UnitPrice | None:
    """Return USD per hour of an endpoint's instance, less a Savings Plan of the policy; None is unknown."""
    chosen = stack.workload.selection.chosen if stack.workload else None
    if chosen is None or chosen.instance_type != instance_type:
        price = catalog_price(stack.region, instance_type, "hosting")
    else:
        price = planned_price(chosen)
    percent = stack.savings_plan_percent
    if price is None or not percent:
        return price
    return replace(
        price,
        usd=price.usd * (1 - percent / 100),
        note=f"less {number_words(percent)} % of a Savings Plan",
    )


def planned_price(chosen: SavedCandidate) -> UnitPrice | None:
    """Return the price on demand that a plan was made with."""
    cost = chosen.cost
    if cost.usd_per_hour is None or cost.basis == "unknown":
        return None
    return UnitPrice(cost.usd_per_hour, "hour", cost.price_date, cost.basis)
