"""Files of load tests become measurements of one instance: a rate is a capacity only where the instance could do no more."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizewell.config import ConfigError
from sizewell.config.measured_instance import MeasuredInstance
from sizewell.instance_selection import load_catalog
from sizewell.planning.measurement_import import Imported, Target, import_measurements

SAMPLES = Path(__file__).parent / "samples"
CATALOG = load_catalog("us-east-1")
TYPE = "ml.g6.12xlarge"
NOT_ALL = "{} requests/s are what the test asked for, not the most that the instance carries: left out"
BEHIND = "the instance fell behind: its latencies grew for as long as the test lasted, and are left out"


def imported(text: str, instance_count: int = 1) -> Imported:
    target = Target(kind="real-time-endpoint", instance_type=TYPE, instance_count=instance_count)
    return import_measurements("result", text, target, CATALOG)


def sample(name: str, **changes: Any) -> str:
    """Return the text of a sample; of JSON, with values at the top changed, and without those that are None."""
    text = (SAMPLES / name).read_text("utf-8")
    if not changes:
        return text
    return json.dumps({k: v for k, v in {**json.loads(text), **changes}.items() if v is not None})


def only(text: str, instance_count: int = 1) -> MeasuredInstance:
    (one,) = imported(text, instance_count).measured
    return one


def message(text: str) -> str:
    with pytest.raises(ConfigError) as raised:
        imported(text)
    return str(raised.value)


def test_vllm_that_kept_up_measures_latencies_and_no_capacity() -> None:
    found = imported(sample("vllm.json"))

    # 3.8835 requests/s x 2.879 s are 11.2 others.
    assert found.measured == (
        MeasuredInstance(
            instance_type=TYPE,
            concurrency=13,
            p95_latency_ms=3300,
            time_to_first_token_ms=121.5,
            inter_token_ms=27.25,
            date="2026-11-03",
            source="vllm bench serve, the p99 time between tokens",
        ),
    )
    assert found.notes == (NOT_ALL.format("3.884"),)
    # Two instances share them.
    assert only(sample("vllm.json"), 2).concurrency == 7


def test_vllm_that_fell_behind_measures_its_capacity_alone() -> None:
    behind = sample("vllm.json", request_rate=8.0)

    assert only(behind, 2) == MeasuredInstance(
        instance_type=TYPE, max_requests_per_second=1.94175, date="2026-11-03", source="vllm bench serve"
    )
    assert imported(behind).notes == (BEHIND,)


def test_the_time_of_the_last_answers_is_not_held_against_the_rate() -> None:
    # 40 requests in 10 s, and 5 s until the last is answered: 2.7 requests/s, of 4 that arrived.
    short = {"completed": 40, "num_prompts": 40, "duration": 15.0, "request_throughput": 2.667}

    assert only(sample("vllm.json", **short, mean_e2el_ms=5000.0)).max_requests_per_second is None
    assert only(sample("vllm.json", **short, mean_e2el_ms=50.0)).max_requests_per_second == 2.667


def test_vllm_without_whole_answers_adds_up_their_mean() -> None:
    # 85 ms and one step of 2 s, 3.8835 times a second, are 8.1 others.
    keys = ("mean_e2el_ms", "median_e2el_ms", "std_e2el_ms", "p95_e2el_ms", "p99_e2el_ms")
    found = only(sample("vllm.json", **dict.fromkeys(keys), mean_tpot_ms=2000.0, total_output_tokens=800))

    assert (found.concurrency, found.p95_latency_ms, found.time_to_first_token_ms) == (9, None, 121.5)


@pytest.mark.parametrize("rate", ["inf", float("inf")])
def test_vllm_at_a_concurrency_measures_what_the_instance_carries_there(rate: Any) -> None:
    found = only(sample("vllm.json", request_rate=rate, max_concurrency=32), 2)

    assert (found.concurrency, found.p95_latency_ms, found.max_requests_per_second) == (16, 3300, 1.94175)


def test_of_one_request_at_a_time_the_throughput_is_no_capacity() -> None:
    found = only(sample("vllm.json", request_rate="inf", max_concurrency=1))

    assert (found.concurrency, found.p95_latency_ms, found.max_requests_per_second) == (1, 3300, None)


def test_a_rate_that_a_limit_of_concurrency_keeps_back_is_measured_at_that_concurrency() -> None:
    found = only(sample("vllm.json", request_rate=8.0, max_concurrency=12))
    assert (found.concurrency, found.p95_latency_ms, found.max_requests_per_second) == (12, 3300, 3.8835)

    kept = only(sample("vllm.json", max_concurrency=200))
    assert (kept.concurrency, kept.max_requests_per_second) == (13, None)


def test_all_requests_at_once_measure_the_capacity_alone() -> None:
    found = only(sample("vllm.json", request_rate="inf"))

    assert (found.concurrency, found.p95_latency_ms, found.max_requests_per_second) == (None, None, 3.8835)


@pytest.mark.parametrize("counts", [{"completed": 390, "failed": 10}, {"completed": 390, "failed": None}])
def test_vllm_with_failures_is_refused(counts: dict[str, Any]) -> None:
    assert message(sample("vllm.json", **counts)).endswith(
        "completed\n"
        "  10 of 400 requests failed; at most 1% may\n"
        "  lower the load of the test, or mend the endpoint, and run it again"
    )
    only(sample("vllm.json", completed=396, failed=4))


def test_means_and_medians_measure_nothing() -> None:
    text = json.dumps(
        {"mean_ttft_ms": 80.0, "request_throughput": 4.0, "request_rate": 4.0, "completed": 400}
    )
    assert message(text) == (
        "result\n"
        "  no p95 or p99 of a latency, and no throughput at capacity\n"
        f"  {NOT_ALL.format('4')}\n"
        "  let the tool report the 95th percentile, or test at a higher rate"
    )


def test_genai_perf_at_a_concurrency() -> None:
    assert only(sample("genai_perf.json"), 2) == MeasuredInstance(
        instance_type=TYPE,
        concurrency=8,
        p95_latency_ms=2800,
        time_to_first_token_ms=230,
        inter_token_ms=19.5,
        max_requests_per_second=3.2,
        source="genai-perf",
    )


@pytest.mark.parametrize(
    "options",
    [
        {"perf_analyzer": {"stimulus": {"concurrency": [16]}}},
        {"concurrency": 16, "request_rate": None, "profile_export_file": "profile_export.json"},
    ],
)
def test_genai_perf_has_its_options_in_several_places(options: dict[str, Any]) -> None:
    found = only(sample("genai_perf.json", input_config=options))

    assert (found.concurrency, found.max_requests_per_second, found.source) == (16, 6.4, "genai-perf")


@pytest.mark.parametrize(
    "options", [{"perf_analyzer": {"stimulus": {"request_rate": 6.5}}}, {"loadgen": {"request_rate": 6.5}}]
)
def test_a_rate_that_was_kept_is_no_capacity_of_genai_perf_and_aiperf(options: dict[str, Any]) -> None:
    found = only(sample("genai_perf.json", input_config=options))

    # 6.4 requests/s x 2.45 s are 15.7 others.
    assert (found.concurrency, found.max_requests_per_second) == (17, None)


WARM_UP = {"name": "warmup", "kind": "warmup", "type": "concurrency", "requests": 4, "concurrency": 3}


@pytest.mark.parametrize(
    ("phase", "expected"),
    [
        ({"kind": "profiling", "type": "concurrency", "concurrency": 16}, (16, 6.4)),
        ({"kind": "profiling", "type": "poisson", "rate": 6.5}, (17, None)),
        ({"name": "profiling", "type": "poisson", "rate": 9.0}, (None, 6.4)),
        ({"kind": "profiling", "type": "poisson", "rate": 9.0, "concurrency": 12}, (12, 6.4)),
    ],
)
def test_aiperf_says_in_phases_what_it_asked_for(
    phase: dict[str, Any], expected: tuple[float | None, float | None]
) -> None:
    found = only(sample("genai_perf.json", input_config={"phases": [WARM_UP, phase]}))

    assert (found.concurrency, found.max_requests_per_second) == expected
    assert (found.source or "").startswith("aiperf")


def test_locust_csv_is_taken_from_the_row_of_all_requests() -> None:
    found = imported(sample("locust_stats.csv"))

    assert found.measured == (
        MeasuredInstance(instance_type=TYPE, concurrency=2, p95_latency_ms=73, source="locust"),
    )
    assert found.notes == (NOT_ALL.format("6.667"),)


def test_locust_csv_without_the_row_or_with_failures_is_refused() -> None:
    text = sample("locust_stats.csv")
    assert message(text[: text.index(",Aggregated")]) == (
        "result\n  there is no row Aggregated\n  import the file that ends in _stats.csv"
    )
    assert message(text.replace("Aggregated,400,1,", "Aggregated,400,5,")) == (
        "result:4  Failure Count\n"
        "  5 of 400 requests failed; at most 1% may\n"
        "  lower the load of the test, or mend the endpoint, and run it again"
    )
    assert message(text.replace(",64,73,", ",64,slow,")) == (
        'result:4  95%\n  got "slow" (text); expected a number above 0'
    )


def test_locust_json_is_taken_together() -> None:
    # 380 of 400 requests took 80 ms at most, and 375 of them 60 ms.
    # From the first start to the last request are 60 s.
    assert imported(sample("locust.json")).notes == (NOT_ALL.format("6.667"),)
    assert only(sample("locust.json")) == MeasuredInstance(
        instance_type=TYPE, concurrency=2, p95_latency_ms=80, date="2026-11-06", source="locust"
    )


def test_k6_that_kept_up() -> None:
    found = imported(sample("k6_export.json"))

    assert found.measured == (
        MeasuredInstance(instance_type=TYPE, concurrency=2, p95_latency_ms=72.5, source="k6"),
    )
    assert found.notes == (NOT_ALL.format("10"),)


def test_k6_that_dropped_iterations_measures_what_its_users_could_get() -> None:
    found = imported(sample("k6_summary.json"), 2)

    assert found.measured == (
        MeasuredInstance(
            instance_type=TYPE,
            concurrency=10,
            p95_latency_ms=700,
            max_requests_per_second=25,
            source="k6, the p99 latency",
        ),
    )
    assert found.notes == ()


def test_k6_that_dropped_a_few_iterations_kept_up() -> None:
    metrics = json.loads(sample("k6_summary.json"))["metrics"]
    metrics["dropped_iterations"]["values"]["count"] = 100

    found = only(sample("k6_summary.json", metrics=metrics))

    assert (found.concurrency, found.max_requests_per_second) == (21, None)


def test_k6_summary_without_dropped_iterations() -> None:
    metrics = json.loads(sample("k6_summary.json"))["metrics"]
    del metrics["dropped_iterations"]

    found = only(sample("k6_summary.json", metrics=metrics))

    assert (found.concurrency, found.p95_latency_ms, found.source) == (21, 700, "k6, the p99 latency")


def test_k6_with_failures_or_without_requests_is_refused() -> None:
    metrics = json.loads(sample("k6_export.json"))["metrics"]
    failing = sample("k6_export.json", metrics={**metrics, "http_req_failed": {"value": 0.05}})
    assert "30 of 600 requests failed; at most 1% may" in message(failing)
    assert message('{"metrics": {"vus": {"value": 1}}}') == (
        "result:1  metrics\n  there is no http_reqs: the test sent no requests over HTTP"
    )


@given(st.data())
def test_no_text_is_a_crash(data: st.DataObject) -> None:
    text = sample(data.draw(st.sampled_from(["locust_stats.csv", "mlperf_log_summary.txt"])))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        removed = data.draw(st.integers(0, 40))
        text = text[:at] + data.draw(st.text('0-.,:"\n\0 eNA', max_size=4)) + text[at + removed :]
    with suppress(ConfigError):
        imported(text)


def test_mlperf_server_that_kept_up() -> None:
    # 98.5 requests/s x 20 ms are 1.97 others.
    assert only(sample("mlperf_log_summary.txt")) == MeasuredInstance(
        instance_type=TYPE, concurrency=3, p95_latency_ms=35.5, source="mlperf Server"
    )


def mlperf(*changes: tuple[str, str]) -> str:
    text = sample("mlperf_log_summary.txt")
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    return text


def test_mlperf_server_that_fell_behind() -> None:
    found = only(mlperf(("per second    : 98.50", "per second    : 60.00")))

    assert (found.concurrency, found.p95_latency_ms, found.max_requests_per_second) == (None, None, 60)


def test_mlperf_single_stream_and_offline() -> None:
    alone = only(mlperf(("Scenario : Server", "Scenario : SingleStream")))
    assert (alone.concurrency, alone.p95_latency_ms, alone.max_requests_per_second) == (1, 35.5, None)

    offline = only(
        mlperf(
            ("Scenario : Server", "Scenario : Offline"),
            ("Completed samples per second    :", "Samples per second:"),
        )
    )
    assert (offline.p95_latency_ms, offline.max_requests_per_second) == (None, 98.5)


def test_mlperf_of_tokens() -> None:
    text = sample("mlperf_log_summary.txt") + (
        "99.00 percentile first token latency (ns)   : 450000000\n"
        "95.00 percentile time to output token (ns)   : 30000000\n"
    )
    found = only(text)

    assert (found.time_to_first_token_ms, found.inter_token_ms) == (450, 30)
    assert found.source == "mlperf Server, the p99 time to first token"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (
            ("Scenario : Server", "Scenario : MultiStream"),
            'result:5  Scenario\n  got "MultiStream"; expected one of the scenarios: SingleStream, Server, Offline',
        ),
        (
            ("Mode     : PerformanceOnly", "Mode     : AccuracyOnly"),
            'result:6  Mode\n  got "AccuracyOnly"; expected a test of performance',
        ),
        (
            ("Min duration satisfied : Yes", "Min duration satisfied : NO"),
            "result:10  Min duration satisfied\n  the run was too short for its rules\n  run it for longer",
        ),
    ],
)
def test_mlperf_is_refused(change: tuple[str, str], expected: str) -> None:
    assert message(mlperf(change)) == expected
