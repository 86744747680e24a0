"""Who published a source: sources of one publisher share software and care, and vouch for each other."""

import csv
from functools import cache
from pathlib import Path

SOURCES = Path(__file__).parent / "data" / "sources.csv"


@cache
def _publishers() -> dict[str, str]:
    with SOURCES.open(encoding="utf-8", newline="") as file:
        return {row["source_id"]: row["publisher"] for row in csv.DictReader(file)}


def publisher_of(source: str) -> str:
    """Return the publisher of a source; a source that the table does not hold stands for itself."""
    return _publishers().get(source, source)
