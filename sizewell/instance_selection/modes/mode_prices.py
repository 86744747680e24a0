"""Prices of modes that are not billed by instance hours: a table by region."""

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from sizewell.facts.serving_modes import Mode

_TABLE = Path(__file__).with_name("mode_prices.csv")


@dataclass(frozen=True, slots=True)
class ModePrice:
    """USD per unit; the unit is in the name of the price. ``as_of`` is None where the source states no date."""

    usd: float
    as_of: str | None
    source: str


@cache
def mode_prices() -> dict[tuple[str, Mode, str], ModePrice]:
    """Return all prices by region, mode and name."""
    with _TABLE.open(encoding="utf-8", newline="") as file:
        return {
            (row["region"], Mode(row["mode"]), row["price"]): ModePrice(
                float(row["usd"]), row["as_of"] or None, row["source"]
            )
            for row in csv.DictReader(file)
        }


def mode_price(region: str, mode: Mode, name: str) -> ModePrice | None:
    """Return a price; None where nobody here knows it, which is not zero."""
    return mode_prices().get((region, mode, name))
