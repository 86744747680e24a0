"""Read the data tables; a table by region is filtered before it is parsed, because start-up time counts."""

import csv
from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from sizewell.instance_selection.catalog.refreshed import PACKAGED, RefreshedTables

DATA_DIRECTORY = Path(__file__).parent / "data"

Row = dict[str, str]
T = TypeVar("T")


def read_rows(path: Path) -> Iterator[Row]:
    """Yield the rows of a file."""
    return csv.DictReader(path.read_text("utf-8").splitlines())


def read_table(table: str) -> Iterator[Row]:
    """Yield the rows of a whole table."""
    return read_rows(DATA_DIRECTORY / f"{table}.csv")


def columns_of(table: str) -> tuple[str, ...]:
    """Return the names of the columns of a table, in their order."""
    return tuple(next(csv.reader(_lines(table)[:1])))


def read_region(table: str, region: str, refreshed: RefreshedTables = PACKAGED) -> Iterator[list[str]]:
    """Yield the cells of the rows of one region, without the first column, which is the region.

    They are those of the project where it refreshed the region, else those of the package.
    """
    prefix = region + ","
    own = [line for line in refreshed.lines(table)[1:] if line.startswith(prefix)]
    lines = own or (line for line in _lines(table)[1:] if line.startswith(prefix))
    return (cells[1:] for cells in csv.reader(lines))


def read_regions(table: str, refreshed: RefreshedTables = PACKAGED) -> tuple[str, ...]:
    """Return the regions of a table whose first column is the region."""
    lines = (*_lines(table)[1:], *refreshed.lines(table)[1:])
    return tuple(sorted({line.partition(",")[0] for line in lines}))


def items(cell: str) -> tuple[str, ...]:
    """Return the parts of a cell that holds a list."""
    return tuple(cell.split(";")) if cell else ()


#: What the cell of a field of each type is; an empty one is None where the field may be.
_READERS: dict[Any, Callable[[str], Any]] = {
    str: str,
    int: int,
    float: float,
    bool: lambda cell: cell == "1",
    tuple[str, ...]: items,
    str | None: lambda cell: cell or None,
    int | None: lambda cell: int(cell) if cell else None,
    float | None: lambda cell: float(cell) if cell else None,
    bool | None: lambda cell: cell == "1" if cell else None,
}


def record(kind: Callable[..., T], row: Row, **given: Any) -> T:
    """Return a row as a dataclass whose fields have the names of its columns, but for those that are ``given``."""
    return kind(**{name: read(row[name]) for name, read in _readers(kind, tuple(given))}, **given)


@cache
def _readers(kind: Any, given: tuple[str, ...]) -> tuple[tuple[str, Callable[[str], Any]], ...]:
    return tuple((field.name, _READERS[field.type]) for field in fields(kind) if field.name not in given)


def _lines(table: str) -> list[str]:
    return (DATA_DIRECTORY / f"{table}.csv").read_text("utf-8").splitlines()
