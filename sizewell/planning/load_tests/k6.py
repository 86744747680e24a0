"""The summary of k6: ``--summary-export FILE``, or the data that ``handleSummary()`` is given.

Sources: k6, "Custom summary" (https://grafana.com/docs/k6/latest/results-output/end-of-test/custom-summary/) and "Built-in
metrics" (https://grafana.com/docs/k6/latest/using-k6/metrics/reference/), read in November 2026. Times are in milliseconds in
both. The second has the values of a metric below ``values``.
"""

from sizewell.config.tree import KeyPath
from sizewell.planning.load_tests.load_test import Figure, LoadTest, readings_of, tail
from sizewell.planning.measurement_document import Document, Readings


def read_k6(document: Document, instance_type: str | None, instance_count: int) -> Readings:
    """Return the results of a test; every request of its script counts.

    Iterations are dropped, and do not wait, where a rate of arrivals was asked for and no virtual user was free to keep it: then
    as many requests are in flight as there are users.

    Raises:
        ConfigError: It is of no requests, too many of them failed, or a value cannot be right.
    """

    def at(metric: str, key: str) -> KeyPath:
        below = ("metrics", metric)
        return (*below, "values", key) if document.at((*below, "values")) is not None else (*below, key)

    rate_at = at("http_reqs", "rate")
    requests, rate = document.number(*at("http_reqs", "count")), document.number(*rate_at)
    if requests is None or rate is None:
        raise document.error(("metrics",), "there is no http_reqs: the test sent no requests over HTTP")
    # The export of a rate has it as "value".
    failed_share = document.count(*at("http_req_failed", "rate")) or document.count(
        *at("http_req_failed", "value")
    )
    dropped = document.count(*at("dropped_iterations", "count"))
    iterations = document.count(*at("iterations", "count")) or requests
    users_at = at("vus_max", "max")
    users = document.number(*users_at) if dropped else None
    duration_ms = document.number("state", "testRunDurationMs")
    test = LoadTest(
        source="k6",
        answered=requests * (1 - failed_share),
        failed=requests * failed_share,
        failed_at=("metrics", "http_req_failed"),
        answers_per_second=Figure(rate, rate_at),
        offered_per_second=rate * (1 + dropped / iterations) if dropped else None,
        in_flight=Figure(users, users_at) if users else None,
        duration_s=duration_ms and duration_ms / 1000,
        mean_latency_ms=document.number(*at("http_req_duration", "avg")),
        p95_latency_ms=tail(
            lambda statistic: (
                document.number(*(path := at("http_req_duration", f"p({statistic[1:]})"))),
                path,
            )
        ),
    )
    return readings_of(test, document, instance_type, instance_count)
