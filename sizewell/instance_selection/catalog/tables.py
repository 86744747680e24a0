"""Read the data tables; a table by region is filtered before it is parsed, because start-up time counts."""

import csv
from collections.abc import Iterator
from pathlib import Path

DATA_DIRECTORY = Path(__file__).parent / "data"

Row = dict[str, str]


def read_table(table: str) -> Iterator[Row]:
    """Yield the rows of a whole table."""
    return csv.DictReader(_lines(table))


def read_region(table: str, region: str) -> Iterator[list[str]]:
    """Yield the cells of the rows of one region, without the first column, which is the region."""
    prefix = region + ","
    return (cells[1:] for cells in csv.reader(line for line in _lines(table)[1:] if line.startswith(prefix)))


def read_regions(table: str) -> tuple[str, ...]:
    """Return the regions of a table whose first column is the region."""
    return tuple(sorted({line.partition(",")[0] for line in _lines(table)[1:]}))


def number(cell: str) -> float | None:
    """Return the number of a cell; None when it is empty, which means unknown."""
    return float(cell) if cell else None


def flag(cell: str) -> bool:
    """Return the truth value of a cell, ``1`` or ``0``."""
    return cell == "1"


def items(cell: str) -> tuple[str, ...]:
    """Return the parts of a cell that holds a list."""
    return tuple(cell.split(";")) if cell else ()


def _lines(table: str) -> list[str]:
    return (DATA_DIRECTORY / f"{table}.csv").read_text("utf-8").splitlines()
