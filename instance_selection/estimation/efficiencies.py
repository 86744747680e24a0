"""How much of the spec sheet software reaches: a table with the measurement behind each row."""

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_TABLE = Path(__file__).with_name("efficiencies.csv")


@dataclass(frozen=True, slots=True)
class Efficiency:
    """Shares of peak that are reached, 0 to 1, and the fixed cost of starting the work of one layer."""

    compute: float
    bandwidth: float
    launch_us_per_layer: float
    source: str


@cache
def _rows() -> dict[tuple[str, ...], Efficiency]:
    with _TABLE.open(encoding="utf-8", newline="") as file:
        return {
            (row["task"], row["hardware"], row["engine"], row["architecture"], row["precision"]): Efficiency(
                float(row["compute_efficiency"]),
                float(row["bandwidth_efficiency"]),
                float(row["launch_us_per_layer"]),
                row["source"],
            )
            for row in csv.DictReader(file)
        }


def find_efficiency(
    task: str, hardware: str, engine: str, architecture: str, precision: str
) -> Efficiency | None:
    """Return the most specific row, or None where nothing is known; ``*`` in the table matches everything."""
    rows = _rows()
    for chosen_engine in (engine, "*"):
        for chosen_precision in (precision, "*"):
            found = rows.get((task, hardware, chosen_engine, architecture, chosen_precision))
            if found:
                return found
    return None
