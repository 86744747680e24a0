"""Prices of modes that are not billed by instance hours: a table by region."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from sizewell.facts.serving_modes import Mode
from sizewell.instance_selection.catalog.tables import read_rows, record

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
    return {
        (row["region"], Mode(row["mode"]), row["price"]): record(ModePrice, row) for row in read_rows(_TABLE)
    }


def mode_price(region: str, mode: Mode, name: str) -> ModePrice | None:
    """Return a price; None where nobody here knows it, which is not zero."""
    return mode_prices().get((region, mode, name))
