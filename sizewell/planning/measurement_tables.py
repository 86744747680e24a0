"""Measurements of a load test of one's own: CSV or JSON with the keys of measurements.yaml."""

import csv
from io import StringIO
from typing import Any

from sizewell.config.faults import near_match
from sizewell.config.measured_instance import MeasuredInstance
from sizewell.planning.measurement_document import Document, Reading, Readings

#: The environment is chosen on the command line, for all rows alike.
COLUMNS = tuple(key for key in MeasuredInstance.model_fields if key != "environment")
_TEXTS = ("instance_type", "date", "source")


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
