"""The catalog of a project: tables beside the configuration that take the place of those of the package, by region."""

import csv
from collections.abc import Iterator
from itertools import islice
from math import isfinite
from pathlib import Path

from sizewell.config import ConfigError, Fault
from sizewell.config.files import is_there, read_text
from sizewell.instance_selection.catalog import REFRESHABLE, RefreshedTables
from sizewell.instance_selection.catalog.tables import columns_of

CATALOG = "catalog"
#: Far beyond all regions: one has about 100 KB of prices.
MAX_TABLE_BYTES = 16 * 2**20
_MEND = (
    "the file is generated: take it back from version control (after a merge, either side), or delete the directory; "
    "then run: sizewell catalog refresh"
)
#: Columns of numbers that nothing is planned without.
_POSITIVE = {"prices": ("usd_per_hour",), "instances": ("vcpus", "memory_gib")}


def catalog_path(directory: Path) -> Path:
    """Return where the tables of a configuration directory are."""
    return directory / CATALOG


def read_refreshed(directory: Path) -> RefreshedTables:
    """Return the tables of a configuration directory; raises ``ConfigError`` with everything that is wrong with them."""
    texts: dict[str, str] = {}
    faults: list[Fault] = []
    for table in REFRESHABLE:
        path = catalog_path(directory) / f"{table}.csv"
        if is_there(path):
            texts[table] = read_text(path, path.as_posix(), MAX_TABLE_BYTES)
            faults += islice(_faults(path.as_posix(), table, texts[table]), 3)
    if faults:
        raise ConfigError(faults)
    return RefreshedTables.of(texts)


def _faults(file: str, table: str, text: str) -> Iterator[Fault]:
    columns = columns_of(table)
    lines = text.splitlines()
    if not lines or tuple(next(csv.reader(lines[:1]), ())) != columns:
        yield _fault(file, 1, f"the columns are not {','.join(columns)}")
        return
    # A row is a line: the tables have no line break in a cell.
    for number, line in enumerate(lines[1:], start=2):
        cells = next(csv.reader([line]), [])
        if len(cells) != len(columns):
            yield _fault(file, number, f"has {len(cells)} cells; the columns are {','.join(columns)}")
            continue
        row = dict(zip(columns, cells, strict=True))
        for column in _POSITIVE.get(table, ()):
            if not _is_positive(row[column]):
                yield _fault(file, number, f'{column} is "{row[column]}"; it is a number above 0')


def _is_positive(cell: str) -> bool:
    try:
        value = float(cell)
    except ValueError:
        return False
    return isfinite(value) and value > 0


def _fault(file: str, line: int, message: str) -> Fault:
    return Fault(file, line, None, (), None, message, hint=_MEND)
