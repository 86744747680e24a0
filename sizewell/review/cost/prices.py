"""What one unit of a thing costs: by ``service_prices.csv``, the catalog of instance types, or a plan."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from sizewell.planning.saved_plan import SavedCandidate
from sizewell.review.cost.amounts import usd_words

_TABLE = Path(__file__).with_name("service_prices.csv")
#: Rows of this region hold everywhere.
ANY_REGION = "*"


@dataclass(frozen=True, slots=True)
class UnitPrice:
    """USD for one unit; ``as_of`` is None where the source states no date."""

    usd: float
    unit: str
    as_of: str | None
    basis: Literal["published", "estimated"] = "published"
    note: str = ""

    @property
    def words(self) -> str:
        """As a review shows it: ``1.515 USD per hour``."""
        return f"{usd_words(self.usd)} USD per {self.unit}" + (f", {self.note}" if self.note else "")


@cache
def service_prices() -> Mapping[tuple[str, str, str], UnitPrice]:
    """Return the whole table by region, service and name of the price."""
    with _TABLE.open(encoding="utf-8", newline="") as file:
        return {
            (row["region"], row["service"], row["price"]): UnitPrice(
                float(row["usd"]), row["unit"], row["as_of"] or None
            )
            for row in csv.DictReader(file)
        }


def service_price(region: str | None, service: str, name: str) -> UnitPrice | None:
    """Return a price; None where nobody here knows it, which is not zero."""
    prices = service_prices()
    return prices.get((region or "", service, name)) or prices.get((ANY_REGION, service, name))


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
