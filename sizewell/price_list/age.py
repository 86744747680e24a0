"""How old the prices are that a catalog has. The one place that knows what day it is; nothing that is written follows from it."""

from dataclasses import dataclass
from datetime import UTC, date, datetime

from sizewell.instance_selection.catalog import RefreshedTables
from sizewell.instance_selection.catalog.tables import read_region

#: Ours. AWS changes a price of some instance type several times a year.
MAX_AGE_DAYS = 180


@dataclass(frozen=True, slots=True)
class TableDates:
    """Of a table in one region: rows, their sources, and their oldest and newest date; None where no row has one."""

    rows: int
    sources: tuple[str, ...]
    oldest: str | None
    newest: str | None


def table_dates(table: str, region: str, refreshed: RefreshedTables) -> TableDates:
    """Return the dates of a table whose last cells are a source and a date."""
    rows = list(read_region(table, region, refreshed))
    dates = sorted(cells[-1] for cells in rows if cells[-1])
    sources = tuple(sorted({cells[-2] for cells in rows}))
    return TableDates(len(rows), sources, dates[0] if dates else None, dates[-1] if dates else None)


def today() -> date:
    """Return the day, in UTC."""
    return datetime.now(UTC).date()


def days_old(day: str, now: date) -> int:
    """Return the days since an ISO date, of which the day may be missing: then it is the first of its month."""
    parts = (*(int(part) for part in day.split("-")), 1, 1)[:3]
    return (now - date(*parts)).days
