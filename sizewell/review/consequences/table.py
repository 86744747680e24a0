"""The tables of consequences: for each property of a resource type, which direction of a change is worse, and what follows.

Each file of ``tables/`` has the rows of some services, in these columns:

``types``
    Resource types with spaces between; ``*`` is any type.
``property``
    The path in the template with dots. ``*`` is one name or list item, ``**`` any number of them; a name that has dots stands in
    ``[]``. The longest path decides, and a row also speaks for what lies below its path. ``(resource)`` is the whole resource,
    ``(DeletionPolicy)`` an attribute.
``missing``
    What AWS takes where the property is not set: a number, ``true``, ``false`` or a text; ``infinite``; empty where that is
    unknown or nothing. The default written out is no change.
``worse``
    Which direction has the consequence: ``lower``, ``higher``, ``oftener`` (a schedule, twice as often or more), ``off``, ``on``,
    ``removed``, ``added``, ``fewer`` (a list loses an item), ``more``, ``to A|B`` and ``from A|B`` (of a list: an item),
    ``new A|B`` (a new resource has it), ``any``. ``none``: no direction has one. ``rule``: a rule in code decides.
``effect``
    What suffers: ``sizewell.review.words.Effect``, or ``exposure``: security, because everybody can reach it.
``level``
    ``danger``, ``warning`` or ``notice`` in production. Elsewhere a danger is a warning.
``consequence``
    What happens at the deployment or after it: a sentence.
``to_do``
    What to do before: a sentence; empty for what is usual of the effect.
``source``
    The page of AWS that says so.

Other directions than those of the rows do no harm. A property without a row has no known consequence.
"""

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from math import inf
from pathlib import Path
from typing import Any, Literal, cast

from sizewell.review.words import EFFECTS, SEVERITIES, Effect, Severity

WHOLE = "(resource)"
_TABLES = Path(__file__).with_name("tables")
_COLUMNS = ("types", "property", "missing", "worse", "effect", "level", "consequence", "to_do", "source")
_PLAIN = (
    "lower",
    "higher",
    "oftener",
    "off",
    "on",
    "removed",
    "added",
    "fewer",
    "more",
    "any",
    "none",
    "rule",
)
_NEW = "new"
_VALUED = ("to", "from", _NEW)
ANY, _ANY_NUMBER = "*", "**"
_NAME = re.compile(r"\[([^]]+)]|([^.]+)")
Suffers = Effect | Literal["exposure"]


@dataclass(frozen=True, slots=True)
class Row:
    """One direction of a change of one property."""

    types: tuple[str, ...]
    path: tuple[str, ...]
    missing: Any
    worse: str
    """The first word of the column."""
    values: frozenset[str]
    """Of ``to``, ``from`` and ``new``."""
    effect: Suffers | None
    level: Severity | None
    consequence: str
    to_do: str


class TableError(Exception):
    """A row that cannot be read; the message names file, line and fault."""


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows that speak for a property."""

    length: int
    """Of how many names of the path they speak."""
    rows: tuple[Row, ...]


@cache
def rows_for_new(resource_type: str) -> tuple[Row, ...]:
    """Return the rows that speak of new resources."""
    return tuple(row for row in _rows_of(resource_type) if row.worse == _NEW)


@cache
def rows_for(resource_type: str, path: tuple[str, ...]) -> Rows | None:
    """Return the rows that speak for a property, also by a path above it; None where nothing is known."""
    best: tuple[tuple[int, bool, int], list[Row]] | None = None
    for row in _rows_of(resource_type):
        if row.worse == _NEW:
            continue
        for length in _lengths(row.path, path):
            rank = (length, ANY not in row.types, sum(name not in (ANY, _ANY_NUMBER) for name in row.path))
            if best is None or rank > best[0]:
                best = rank, [row]
            elif rank == best[0]:
                best[1].append(row)
    return Rows(best[0][0], tuple(best[1])) if best else None


def _lengths(pattern: Sequence[str], path: Sequence[str]) -> Iterator[int]:
    """Yield of how many names from the first on a pattern speaks, the most first."""
    for length in range(len(path), 0, -1):
        if _fits(pattern, path[:length]):
            yield length


def _fits(pattern: Sequence[str], path: Sequence[str]) -> bool:
    if not pattern:
        return not path
    first, rest = pattern[0], pattern[1:]
    if first == _ANY_NUMBER:
        return any(_fits(rest, path[skipped:]) for skipped in range(len(path) + 1))
    return bool(path) and first in (ANY, path[0]) and _fits(rest, path[1:])


@cache
def _rows_of(resource_type: str) -> tuple[Row, ...]:
    return tuple(row for row in all_rows() if ANY in row.types or resource_type in row.types)


@cache
def all_rows() -> tuple[Row, ...]:
    """Return the rows of all tables. Raises ``TableError``."""
    return tuple(row for path in sorted(_TABLES.glob("*.csv")) for row in read_table(path))


def read_table(path: Path) -> Iterator[Row]:
    """Yield the rows of a file. Raises ``TableError``."""
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        if tuple(reader.fieldnames or ()) != _COLUMNS:
            raise TableError(f"{path.name}:1: the columns are {', '.join(_COLUMNS)}")
        for written in reader:
            if fault := _fault(written):
                raise TableError(f"{path.name}:{reader.line_num}: {written['property']}: {fault}")
            yield _row(written)


def _fault(written: dict[str, str]) -> str | None:
    """Return what is wrong with a row; None where nothing is."""
    if None in written or None in written.values():
        return f"a row has {len(_COLUMNS)} columns"
    worse, _, values = written["worse"].partition(" ")
    if worse not in (*_PLAIN, *_VALUED) or (worse in _VALUED) != bool(values):
        return f"worse is {written['worse']!r}"
    says = [written[column] for column in ("effect", "level", "consequence")]
    if worse in ("none", "rule"):
        return "a row without a worse direction has no effect, level and consequence" if any(says) else None
    if written["effect"] not in (*EFFECTS, "exposure"):
        return f"effect is {written['effect']!r}"
    if written["level"] not in SEVERITIES:
        return f"level is {written['level']!r}"
    if not written["consequence"].endswith("."):
        return "the consequence is a sentence"
    return None if written["source"] else "the source is missing"


def _row(written: dict[str, str]) -> Row:
    worse, _, values = written["worse"].partition(" ")
    return Row(
        types=tuple(written["types"].split()),
        path=tuple(bracketed or plain for bracketed, plain in _NAME.findall(written["property"])),
        missing=_missing(written["missing"]),
        worse=worse,
        values=frozenset(filter(None, values.split("|"))),
        effect=cast(Suffers, written["effect"]) if written["effect"] else None,
        level=cast(Severity, written["level"]) if written["level"] else None,
        consequence=written["consequence"],
        to_do=written["to_do"],
    )


def _missing(text: str) -> Any:
    known: dict[str, Any] = {"": None, "true": True, "false": False, "infinite": inf}
    if text in known:
        return known[text]
    try:
        return float(text)
    except ValueError:
        return text
