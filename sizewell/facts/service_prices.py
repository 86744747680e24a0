"""What AWS charges for all that is no instance: ``service_prices.csv``, each row with its source and date."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_name("service_prices.csv")
#: Rows of this region hold everywhere.
ANY_REGION = "*"


@dataclass(frozen=True, slots=True)
class ServicePrice:
    """USD for one unit; ``as_of`` is None where the source states no date."""

    usd: float
    unit: str
    as_of: str | None


@cache
def service_prices() -> Mapping[tuple[str, str, str], ServicePrice]:
    """Return the whole table by region, service and name of the price."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return {
            (row["region"], row["service"], row["price"]): ServicePrice(
                float(row["usd"]), row["unit"], row["as_of"] or None
            )
            for row in csv.DictReader(file)
        }


def service_price(region: str | None, service: str, name: str) -> ServicePrice | None:
    """Return a price; None where it is unknown, which is not zero."""
    prices = service_prices()
    return prices.get((region or "", service, name)) or prices.get((ANY_REGION, service, name))
