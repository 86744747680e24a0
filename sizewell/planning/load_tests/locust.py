"""What Locust writes: ``PREFIX_stats.csv`` of ``--csv PREFIX``, and what ``--json`` prints.

Source: Locust, ``locust/stats.py`` (https://github.com/locustio/locust/blob/master/locust/stats.py: ``StatsCSV``,
``StatsEntry.serialize``), read in November 2026. Times are in milliseconds; failed requests count among all.
"""

import csv
import math
from collections import Counter
from io import StringIO

from sizewell.config.tree import KeyPath
from sizewell.planning.load_tests.load_test import Figure, LoadTest, readings_of, tail
from sizewell.planning.measurement_document import Document, Readings

#: Columns that no other CSV has; and keys of an item of the JSON.
COLUMNS = ("Request Count", "Failure Count", "Requests/s")
KEYS = ("num_requests", "response_times")
_ALL = "Aggregated"


def parse_locust_csv(file: str, text: str) -> Document:
    """Return the row of all requests together. Raises ``ConfigError`` where there is none, or it is no CSV."""
    rows = csv.DictReader(StringIO(text))
    try:
        row = next((row for row in rows if row.get("Name") == _ALL), None)
    except csv.Error as error:
        raise Document(file, text, None).error((), f"not valid CSV: {error}", line=rows.line_num) from None
    if row is None:
        raise Document(file, text, None).error(
            (), f"there is no row {_ALL}", hint="import the file that ends in _stats.csv"
        )
    return Document(file, text, row, {(column,): rows.line_num for column in row})


def read_locust_csv(document: Document, instance_type: str | None, instance_count: int) -> Readings:
    """Return the results of a row of ``PREFIX_stats.csv``.

    Raises:
        ConfigError: Too many requests failed, or a value cannot be right.
    """
    requests, failed = document.count("Request Count"), document.count("Failure Count")
    rate = document.number("Requests/s") if requests else None
    test = LoadTest(
        source="locust",
        answered=requests - failed,
        failed=failed,
        failed_at=("Failure Count",),
        answers_per_second=Figure(rate, ("Requests/s",)) if rate else None,
        mean_latency_ms=document.count("Average Response Time") or None,
        p95_latency_ms=tail(
            lambda statistic: (
                document.number(key := f"{statistic[1:]}%") if requests else None,
                (key,),
            )
        ),
    )
    return readings_of(test, document, instance_type, instance_count)


def read_locust_json(document: Document, instance_type: str | None, instance_count: int) -> Readings:
    """Return the results that ``--json`` prints: a list of the entries, which are taken together.

    Raises:
        ConfigError: Too many requests failed, or a value cannot be right.
    """
    entries = document.items()
    requests = sum(document.count(*path, "num_requests") for path in entries)
    failed = sum(document.count(*path, "num_failures") for path in entries)
    total_ms = sum(document.count(*path, "total_response_time") for path in entries)
    first = min((document.count(*path, "start_time") for path in entries), default=0.0)
    last = max((document.count(*path, "last_request_timestamp") for path in entries), default=0.0)
    times = _times(document, entries)
    test = LoadTest(
        source="locust",
        date=document.date(*entries[0], "start_time"),
        answered=requests - failed,
        failed=failed,
        failed_at=(*entries[0], "num_failures"),
        answers_per_second=Figure(requests / (last - first)) if requests and last > first else None,
        mean_latency_ms=total_ms / requests if requests else None,
        p95_latency_ms=Figure(_percentile(times, 0.95), (*entries[0], "response_times")) if times else None,
    )
    return readings_of(test, document, instance_type, instance_count)


def _times(document: Document, entries: list[KeyPath]) -> Counter[float]:
    """Return how many requests took each time."""
    found: Counter[float] = Counter()
    for path in entries:
        counted = document.at((*path, "response_times"), {})
        for time_ms in counted if isinstance(counted, dict) else ():
            try:
                found[float(time_ms)] += int(document.count(*path, "response_times", time_ms))
            except ValueError:
                raise document.error((*path, "response_times", time_ms), "expected milliseconds") from None
    return found


def _percentile(times: Counter[float], share: float) -> float:
    """Return the time within which a share of the requests was answered."""
    still = math.ceil(share * times.total())
    for time_ms in sorted(times):
        still -= times[time_ms]
        if still <= 0:
            return time_ms
    raise AssertionError("some request is the last")
