"""A file with measurements, as parsed JSON or CSV: its values, and the place of each for messages.

It may be a table of the user's own load test, with the keys of ``measurements.yaml``.
"""

import csv
import json
import math
import re
from calendar import monthrange
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from io import StringIO
from typing import Any

from sizewell.config.faults import ConfigError, Fault, near_match, show_value
from sizewell.config.measured_instance import MeasuredInstance
from sizewell.config.tree import KeyPath, Node
from sizewell.config.yaml_source import parse_yaml
from sizewell.facts.durations import DAY_S

#: Digits that a converted number keeps: more were never measured.
_DIGITS = 6
#: What a job may measure of an endpoint.
_FIGURES = frozenset({"p95_latency_ms", "max_requests_per_second"})
_ISO_DATE = re.compile(r"20[0-9]{2}-[0-9]{2}-[0-9]{2}")
#: The year 2100: a number of seconds beyond is none.
_MAX_EPOCH_SECONDS = 4_102_444_800
#: The environment is chosen on the command line, for all rows alike.
COLUMNS = tuple(key for key in MeasuredInstance.model_fields if key != "environment")
_TEXTS = ("instance_type", "date", "source")
#: What a unit is multiplied with to get milliseconds, and requests per second.
MS = {"ms": 1, "millisecond": 1, "milliseconds": 1, "s": 1000, "sec": 1000, "second": 1000, "seconds": 1000}
PER_SECOND = {"requests/sec": 1, "requests/second": 1, "requests/s": 1, "req/s": 1}


@dataclass(frozen=True)
class Document:
    """The data of a file; ``file`` is its name in messages."""

    file: str
    text: str
    data: Any
    lines: Mapping[KeyPath, int] = field(default_factory=dict)
    """Where the values stand, of a file that is no JSON."""

    @cached_property
    def _positions(self) -> Node | None:
        # JSON is YAML: the reader that knows the lines is asked only when a message needs one. It wants a map.
        return None if self.data is None else parse_yaml(f'{{"": {self.text}}}', self.file)[0]

    def error(self, path: KeyPath, message: str, *, line: int | None = None, **more: Any) -> ConfigError:
        """Return the error of a value; ``more`` as for `Fault`."""
        line = self.lines.get(path, line)
        if line is None and path and not self.lines and self._positions is not None:
            line = self._positions.nearest(("", *path)).position.line
        more = {"value": None, **more}
        return ConfigError([Fault(self.file, line, None, path, message=message, **more)])

    def at(self, path: KeyPath, default: Any = None) -> Any:
        """Return the value at a path, ``default`` where the path ends before it."""
        value = self.data
        for key in path:
            if isinstance(value, dict):
                value = value.get(key)
            elif isinstance(value, list) and key.isdecimal() and int(key) < len(value):
                value = value[int(key)]
            else:
                return default
        return default if value is None else value

    def items(self, *path: str) -> list[KeyPath]:
        """Return the paths of the items of a list of maps; none when there is no list.

        Raises:
            ConfigError: It is no list, or an item is no map.
        """
        value = self.at(path, [])
        if not isinstance(value, list):
            raise self.error(path, "expected a list", value=show_value(value))
        for index, item in enumerate(value):
            if not isinstance(item, dict):
                raise self.error((*path, str(index)), "expected a map", value=show_value(item))
        return [(*path, str(index)) for index in range(len(value))]

    def check_status(self, key: str, completed: str) -> None:
        """Raise ``ConfigError`` when a job says that it is not completed."""
        status = self.text_at(key)
        if status in (None, completed):
            return
        reason = self.text_at("FailureReason")
        message = f"the job is {status}" + (f": {reason}" if reason else "")
        raise self.error((key,), message, hint=f"import it when it is {completed}")

    def number(self, *path: str) -> float | None:
        """Return a number above zero, also when it is written as a text; None when it is absent or not available.

        AWS writes NaN for what is not available (API reference, RecommendationMetrics).

        Raises:
            ConfigError: It is no number, or not above zero.
        """
        value = self.at(path)
        try:
            number = None if isinstance(value, bool) else float(value)
        except (TypeError, ValueError):
            number = None
        if value is None or (number is not None and math.isnan(number)):
            return None
        if number is None or not 0 < number < math.inf:
            raise self.error(path, "expected a number above 0", value=show_value(value))
        return number

    def count(self, *path: str) -> float:
        """Return a number of zero or more; 0 when it is absent. Raises ``ConfigError`` as ``number`` does."""
        return 0.0 if self.at(path) in (0, "0", "0.0") else self.number(*path) or 0.0

    def converted(self, path: KeyPath, key: str, unit_key: str, units: Mapping[str, int]) -> float:
        """Return a number times the factor of its unit, which stands beside it; the first of ``units`` where none does.

        Raises:
            ConfigError: The unit is another one, or the number is not there or not above zero.
        """
        unit = self.text_at(*path, unit_key) or next(iter(units))
        if unit.lower() not in units:
            raise self.error(
                (*path, unit_key), "expected a unit among", value=f'"{unit}"', allowed=tuple(units)
            )
        number = self.number(*path, key)
        if number is None:
            raise self.error((*path, key), "the value is not available")
        return number * units[unit.lower()]

    def text_at(self, *path: str) -> str | None:
        """Return a text; None when it is absent.

        Raises:
            ConfigError: It is no text.
        """
        value = self.at(path)
        if value is not None and not isinstance(value, str):
            raise self.error(path, "expected a text", value=show_value(value))
        return value

    def date(self, *path: str) -> str | None:
        """Return the day of a timestamp, ISO 8601 or seconds since 1970 as AWS writes them; None when it is neither."""
        value = self.at(path)
        if isinstance(value, str) and (found := _ISO_DATE.match(value)):
            return found[0]
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        return _day(value) if 0 <= value < _MAX_EPOCH_SECONDS else None


@dataclass(frozen=True)
class Reading:
    """One measurement as a document states it.

    ``values`` go by the keys of measurements.yaml, ``origins`` say where each stands in the document; ``path`` and
    ``line`` are the place of the whole.
    """

    values: dict[str, Any]
    origins: dict[str, KeyPath]
    path: KeyPath = ()
    line: int | None = None


@dataclass(frozen=True)
class Readings:
    """What a document holds, and what was not taken from it."""

    readings: tuple[Reading, ...]
    notes: tuple[str, ...] = ()


def parse_json(file: str, text: str) -> Document:
    """Return a JSON document.

    Raises:
        ConfigError: It is not JSON.
    """
    try:
        return Document(file, text, json.loads(text))
    except json.JSONDecodeError as error:
        fault = Fault(file, error.lineno, error.colno, (), None, f"not valid JSON: {error.msg}")
        raise ConfigError([fault]) from None
    except RecursionError:
        raise ConfigError(
            [Fault(file, None, None, (), None, "nested too deeply to be measurements")]
        ) from None
    except ValueError:  # of more digits than Python turns into a number
        raise ConfigError([Fault(file, None, None, (), None, "a number has too many digits")]) from None


def significant(number: float) -> float:
    """Return a converted number without the digits that the conversion made up."""
    return float(f"{number:.{_DIGITS}g}")


def best_of_each_type(readings: Sequence[Reading]) -> Readings:
    """Return of each type the reading with the most requests, and a note for each one that is left out."""
    notes: dict[KeyPath, str] = {}
    best: dict[str | None, Reading] = {}
    for reading in sorted(readings, key=lambda reading: -reading.values.get("max_requests_per_second", 0)):
        name, instance_type = ".".join(reading.path), reading.values["instance_type"]
        if reading.values.keys().isdisjoint(_FIGURES):
            notes[reading.path] = f"{name} has no figures: left out"
        elif (kept := best.setdefault(instance_type, reading)) is not reading:
            carries = f"is on {instance_type} too, and carries no more than {'.'.join(kept.path)}"
            notes[reading.path] = f"{name} {carries}: left out"
    return Readings(
        tuple(reading for reading in readings if reading.path not in notes),
        tuple(notes[reading.path] for reading in readings if reading.path in notes),
    )


def _day(epoch_seconds: float) -> str:
    year, month, days = 1970, 1, int(epoch_seconds // DAY_S)
    while days >= (length := monthrange(year, month)[1]):
        days -= length
        year, month = year + month // 12, month % 12 + 1
    return f"{year}-{month:02}-{days + 1:02}"


def read_table(document: Document, instance_type: str | None, instance_count: int) -> Readings:
    """Return the measurements of a JSON document: a list of maps, the same below "measurements", or one map.

    Raises:
        ConfigError: A key is not one of a measurement, or an item is no map.
    """
    top = ("measurements",) if isinstance(document.data, dict) and "measurements" in document.data else ()
    paths = [()] if isinstance(document.data, dict) and not top else document.items(*top)
    readings = []
    for path in paths:
        values = {key: value for key, value in document.at(path).items() if value is not None}
        for key in values:
            _check_key(document, (*path, key), key)
        values.setdefault("instance_type", instance_type)
        readings.append(Reading(values, {key: (*path, key) for key in values}, path))
    return Readings(tuple(readings))


def read_csv(file: str, text: str, instance_type: str | None) -> tuple[Document, Readings]:
    """Return the measurements of a CSV text with a header; an empty cell was not measured.

    Raises:
        ConfigError: The text is no CSV, or a column is not one of a measurement.
    """
    document = Document(file, text, None)
    rows = csv.reader(StringIO(text, newline=""), strict=True)
    readings = []
    try:
        header = [cell.strip() for cell in next(rows)]
        for column in header:
            _check_key(document, (column,), column, line=1)
        for cells in rows:
            if len(cells) > len(header):
                message = f"the row has {len(cells)} cells, the header {len(header)}"
                raise document.error((), message, line=rows.line_num, hint="a text with a comma needs quotes")
            values = {
                column: _cell(column, cell)
                for column, cell in zip(header, cells, strict=False)
                if cell.strip()
            }
            if values:
                values.setdefault("instance_type", instance_type)
                readings.append(Reading(values, {}, line=rows.line_num))
    except csv.Error as error:
        raise document.error((), f"not valid CSV: {error}", line=rows.line_num) from None
    return document, Readings(tuple(readings))


def _cell(column: str, cell: str) -> Any:
    cell = cell.strip()
    if column in _TEXTS:
        return cell
    try:
        return int(cell) if column == "instance_count" else float(cell)
    except ValueError:
        return cell


def _check_key(document: Document, path: tuple[str, ...], key: str, line: int | None = None) -> None:
    if key in COLUMNS:
        return
    match = near_match(key, COLUMNS)
    raise document.error(
        path,
        "unknown key" if match else "unknown key; allowed",
        allowed=() if match else COLUMNS,
        hint=f"did you mean {match}?" if match else None,
        line=line,
    )
