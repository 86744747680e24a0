"""The summary of MLPerf Inference: ``mlperf_log_summary.txt``, which LoadGen writes.

Source: MLCommons, ``loadgen/results.cc`` (https://github.com/mlcommons/inference/blob/master/loadgen/results.cc:
``PerformanceSummary::LogSummary``), read in November 2026. Times are in nanoseconds. A sample is taken for a request.
"""

import math
import re

from sizewell.config.tree import KeyPath
from sizewell.planning.load_tests.load_test import Figure, LoadTest, readings_of, tail
from sizewell.planning.measurement_document import Document, Readings

TITLE = "MLPerf Results Summary"
_LINE = re.compile(r"\s*(?P<key>\S.*?)\s*: *(?P<value>\S.*?)\s*$")
_SCENARIOS = ("SingleStream", "Server", "Offline")
_NS_PER_MS = 1e6


def parse_mlperf(file: str, text: str) -> Document:
    """Return the lines that are a key, a colon and a value."""
    found = {
        match["key"]: (match["value"], number)
        for number, line in enumerate(text.splitlines(), 1)
        if (match := _LINE.match(line))
    }
    values = {key: value for key, (value, _) in found.items()}
    return Document(file, text, values, {(key,): number for key, (_, number) in found.items()})


def read_mlperf(document: Document, instance_type: str | None, instance_count: int) -> Readings:
    """Return the results of a run.

    In SingleStream one request follows another, in Server they arrive at random at a rate, in Offline all at once.

    Raises:
        ConfigError: It is of another scenario, of a test of accuracy, too short, or a value cannot be right.
    """
    _check(document)
    scenario = document.text_at("Scenario")
    achieved, offered = "Completed samples per second", document.number("Scheduled samples per second")
    if scenario == "Offline":
        achieved, offered = "Samples per second", math.inf
    mean_ns = document.number("Mean latency (ns)")
    rate = document.number(achieved)
    test = LoadTest(
        source=f"mlperf {scenario}",
        answers_per_second=Figure(rate, (achieved,)) if rate and scenario != "SingleStream" else None,
        offered_per_second=offered if scenario != "SingleStream" else None,
        in_flight=Figure(1.0, ("Scenario",)) if scenario == "SingleStream" else None,
        mean_latency_ms=mean_ns and mean_ns / _NS_PER_MS,
        p95_latency_ms=_tail(document, "latency"),
        time_to_first_token_ms=_tail(document, "first token latency"),
        inter_token_ms=_tail(document, "time to output token"),
    )
    return readings_of(test, document, instance_type, instance_count)


def _check(document: Document) -> None:
    if (scenario := document.text_at("Scenario")) not in _SCENARIOS:
        value = scenario and f'"{scenario}"'
        raise document.error(("Scenario",), "expected one of the scenarios", value=value, allowed=_SCENARIOS)
    mode = document.text_at("Mode") or ""
    if not mode.startswith("Performance"):
        raise document.error(("Mode",), "expected a test of performance", value=f'"{mode}"')
    for key in ("Min duration satisfied", "Min queries satisfied"):
        if document.text_at(key) == "NO":
            raise document.error((key,), "the run was too short for its rules", hint="run it for longer")


def _tail(document: Document, metric: str) -> Figure | None:
    def read(statistic: str) -> tuple[float | None, KeyPath]:
        key = f"{statistic[1:]}.00 percentile {metric} (ns)"
        value = document.count(key)
        return value / _NS_PER_MS if value else None, (key,)

    return tail(read)
