"""What ``vllm bench serve --save-result`` writes, and ``benchmark_serving.py`` before it.

Source: vLLM, ``vllm/benchmarks/serve.py`` (https://github.com/vllm-project/vllm/blob/main/vllm/benchmarks/serve.py), read in
November 2026. Percentiles other than the 99th are there with ``--metric-percentiles 95,99``, those of whole answers (e2el)
with ``--percentile-metrics ttft,tpot,itl,e2el``.
"""

import math
import re

from sizewell.planning.load_tests.load_test import Figure, LoadTest, readings_of, tail
from sizewell.planning.measurement_document import Document, Readings

#: Of the many keys those that no other document has.
KEYS = ("mean_ttft_ms", "mean_e2el_ms")
_DATE = re.compile(r"(20[0-9]{2})([0-9]{2})([0-9]{2})-")


def read_vllm_bench(document: Document, instance_type: str | None, instance_count: int) -> Readings:
    """Return the results of a benchmark.

    ``tpot`` is the time between tokens on the average of an answer; ``itl``, of each token, is something else.

    Raises:
        ConfigError: Too many requests failed, or a value cannot be right.
    """
    completed = document.number("completed")
    throughput = document.number("request_throughput")
    most = document.number("max_concurrency")
    found = _DATE.match(document.text_at("date") or "")
    test = LoadTest(
        source="vllm bench serve",
        date="-".join(found.groups()) if found else None,
        answered=completed,
        failed=_failed(document, completed or 0.0),
        failed_at=("completed",),
        answers_per_second=Figure(throughput, ("request_throughput",)) if throughput else None,
        offered_per_second=_offered(document, limited=most is not None),
        in_flight=Figure(most, ("max_concurrency",)) if most else None,
        duration_s=document.number("duration"),
        mean_latency_ms=_mean_latency_ms(document, completed),
        p95_latency_ms=_tail(document, "e2el"),
        time_to_first_token_ms=_tail(document, "ttft"),
        inter_token_ms=_tail(document, "tpot"),
    )
    return readings_of(test, document, instance_type, instance_count)


def _tail(document: Document, metric: str) -> Figure | None:
    # Answers of one token have no time between tokens: it is 0.
    return tail(lambda statistic: (document.count(key := f"{statistic}_{metric}_ms") or None, (key,)))


def _failed(document: Document, completed: float) -> float:
    if document.at(("failed",)) is not None:
        return document.count("failed")
    return max(0.0, document.count("num_prompts") - completed)


def _offered(document: Document, *, limited: bool) -> float | None:
    """Return the rate of arrivals; without one, and without a limit of those in flight, all are sent at once."""
    if document.at(("request_rate",)) in (None, "inf", math.inf):
        return None if limited else math.inf
    return document.number("request_rate")


def _mean_latency_ms(document: Document, completed: float | None) -> float | None:
    """Return the mean of whole answers: that of their first tokens and of all steps after them, where it is not stated."""
    if stated := document.number("mean_e2el_ms"):
        return stated
    first_token, step = document.number("mean_ttft_ms"), document.count("mean_tpot_ms")
    if first_token is None or not completed:
        return None
    return first_token + step * max(0.0, document.count("total_output_tokens") / completed - 1)
