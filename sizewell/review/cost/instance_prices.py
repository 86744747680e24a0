"""What an hour of an instance costs: as a plan says, else as the catalog of instance types does."""

from functools import cache
from typing import Literal

from sizewell.planning.saved_workload import SavedCandidate
from sizewell.review.cost.charges import UnitPrice


@cache
def catalog_price(region: str | None, instance_type: str, usage: str) -> UnitPrice | None:
    """Return what an hour of an instance type costs on demand; None where the catalog does not know.

    ``usage`` is one of ``sizewell.instance_selection.catalog.Usage``.
    """
    # Only here: most reviews have the prices of their plans, and the catalog takes a third of a second to load.
    from sizewell.instance_selection.catalog import UnknownNameError, Usage, load_catalog

    if region is None:
        return None
    try:
        price = load_catalog(region).price(instance_type, Usage(usage))
    except UnknownNameError:
        return None
    if price.usd_per_hour is None:
        return None
    basis: Literal["published", "estimated"] = (
        "published" if price.basis.value == "published" else "estimated"
    )
    return UnitPrice(price.usd_per_hour, "hour", price.as_of, basis)


def planned_price(chosen: SavedCandidate) -> UnitPrice | None:
    """Return the price on demand that a plan was made with."""
    cost = chosen.cost
    if cost.usd_per_hour is None or cost.basis == "unknown":
        return None
    return UnitPrice(cost.usd_per_hour, "hour", cost.price_date, cost.basis)
