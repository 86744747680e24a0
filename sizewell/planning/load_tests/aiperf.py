"""What AIPerf and GenAI-Perf write: ``profile_export_aiperf.json``, ``profile_export_genai_perf.json``.

Sources: AIPerf, "Working with profile export files" and "JSON export schema" (https://docs.nvidia.com/aiperf/), and what AIPerf
0.13 writes; SageMaker developer guide, "Benchmark generative AI inference endpoints",
whose jobs leave that of AIPerf in their output; GenAI-Perf, ``genai_perf/export_data/json_exporter.py``
(https://github.com/triton-inference-server/perf_analyzer), whose ``input_config`` holds the options of the command, since 2025
below ``perf_analyzer.stimulus``; read in November 2026.
"""

from collections.abc import Iterator

from sizewell.config.tree import KeyPath
from sizewell.planning.load_tests.load_test import Figure, LoadTest, readings_of, tail
from sizewell.planning.measurement_document import MS, PER_SECOND, Document, Readings

#: Where the options of the test stand beside the phases: of AIPerf until 2025, and of GenAI-Perf.
_OPTIONS: tuple[KeyPath, ...] = (("loadgen",), ("perf_analyzer", "stimulus"), ())
_MS_METRICS = ("request_latency", "time_to_first_token", "inter_token_latency")


def read_aiperf(document: Document, instance_type: str | None, instance_count: int) -> Readings:
    """Return the results of a run. The file says neither the instance type nor how many instances answered.

    Raises:
        ConfigError: The run was cancelled, too many requests failed, or a value cannot be right.
    """
    if document.at(("was_cancelled",)) is True:
        raise document.error(("was_cancelled",), "the run was cancelled before its end", hint="run it again")
    rate = document.at(("request_throughput", "avg"))
    concurrency = _option(document, "concurrency")
    offered = _option(document, "request_rate") or _option(document, "rate")
    latency, first_token, inter_token = (_tail(document, metric) for metric in _MS_METRICS)
    test = LoadTest(
        source=_source(document),
        date=document.date("end_time"),
        answered=document.number("request_count", "avg"),
        failed=document.count("error_request_count", "avg"),
        failed_at=("error_request_count",),
        answers_per_second=None
        if rate is None
        else Figure(
            document.converted(("request_throughput",), "avg", "unit", PER_SECOND),
            ("request_throughput", "avg"),
        ),
        offered_per_second=offered.value if offered else None,
        in_flight=concurrency,
        duration_s=document.number("benchmark_duration", "avg"),
        mean_latency_ms=document.converted(("request_latency",), "avg", "unit", MS)
        if document.at(("request_latency", "avg")) is not None
        else None,
        p95_latency_ms=latency,
        time_to_first_token_ms=first_token,
        inter_token_ms=inter_token,
    )
    return readings_of(test, document, instance_type, instance_count)


def _source(document: Document) -> str:
    of_genai_perf = document.at(("input_config", "perf_analyzer")) or document.at(
        ("input_config", "profile_export_file")
    )
    return "genai-perf" if of_genai_perf else "aiperf"


def _measured_phases(document: Document) -> Iterator[KeyPath]:
    """Yield where the phase stands that is measured; a phase before it warms the server up."""
    phases = document.items("input_config", "phases")
    measured = [
        path for path in phases if "profiling" in (document.at((*path, "kind")), document.at((*path, "name")))
    ]
    for path in measured or phases[:1]:
        yield path[1:]


def _option(document: Document, name: str) -> Figure | None:
    for place in (*_measured_phases(document), *_OPTIONS):
        path = ("input_config", *place, name)
        if isinstance(document.at(path), list):
            path = (*path, "0")
        if number := document.number(*path):
            return Figure(number, path)
    return None


def _tail(document: Document, metric: str) -> Figure | None:
    def read(statistic: str) -> tuple[float | None, KeyPath]:
        path = (metric, statistic)
        known = document.at(path) is not None
        return document.converted((metric,), statistic, "unit", MS) if known else None, path

    return tail(read)
