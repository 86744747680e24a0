"""Comma-separated tables: the data beside this file, those that a caller names, and those that are written."""

import csv
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

DATA = Path(__file__).parent / "data"
#: All published measurements that estimates are fitted to; its columns and sources are described beside it.
MEASUREMENTS = DATA / "measurements.csv"
SOURCES = DATA / "sources.csv"


class TableError(Exception):
    """A file that cannot be read as a table; the message says what to do."""


def read_table(path: Path, required: Sequence[str] = ()) -> list[dict[str, str]]:
    """Return the rows of a comma-separated file.

    Raises:
        TableError: it does not exist, is not text, or has no header or not all columns that are required.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, restval="")
            rows = [{key: value or "" for key, value in row.items() if key} for row in reader]
            columns = reader.fieldnames
    except OSError as error:
        raise TableError(f"{path}: {error.strerror or error}; give a comma-separated file") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise TableError(
            f"{path}: is no comma-separated text: {error}; save it as UTF-8 with one row per line"
        ) from None
    if not columns:
        raise TableError(f"{path}:1: is empty; its first line must name columns such as id, model, metric")
    if missing := [name for name in required if name not in columns]:
        raise TableError(
            f"{path}:1: has no column {', '.join(missing)}; its columns are {', '.join(columns)}"
        )
    return rows


def write_table(path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a file whole: to a temporary file that then takes the place of ``path``."""
    temporary = path.with_name(f"{path.name}.new")
    with temporary.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)
    temporary.replace(path)


def publisher_of(source: str) -> str:
    """Return who published a source: sources of one publisher share software and care, and vouch for each other.

    A source that the table does not hold stands for itself.
    """
    return _publishers().get(source, source)


@cache
def _publishers() -> dict[str, str]:
    return {row["source_id"]: row["publisher"] for row in read_table(SOURCES)}
