"""Documents of measuring jobs and load tests become measurements, or one message that says what is wrong where."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizewell.config import ConfigError
from sizewell.config.measured_instance import MeasuredInstance
from sizewell.instance_selection import load_catalog
from sizewell.planning.measurement_import import FORMS, Imported, Target, import_measurements

ENDPOINT = Target(kind="real-time-endpoint")
CATALOG = load_catalog("us-east-1")

#: The example of the developer guide, "Get your inference recommendation job results", with figures as its API has them.
RECOMMENDER: dict[str, Any] = {
    "JobName": "bert-7",
    "Status": "COMPLETED",
    "CompletionTime": "2026-10-26T20:25:01.997000+00:00",
    "InferenceRecommendations": [
        {
            "Metrics": {
                "CostPerHour": 0.2,
                "MaxInvocations": 621,
                "ModelLatency": 49,
                "CpuUtilization": 90.5,
            },
            "EndpointConfiguration": {"InstanceType": "ml.c5.xlarge", "InitialInstanceCount": 2},
            "ModelConfiguration": {"EnvironmentParameters": [{"Key": "OMP_NUM_THREADS", "Value": "2"}]},
        },
        {
            "Metrics": {"MaxInvocations": 3000, "ModelLatency": 12},
            "EndpointConfiguration": {"InstanceType": "ml.g4dn.xlarge"},
        },
    ],
}
AI_RECOMMENDATION: dict[str, Any] = {
    "AIRecommendationJobName": "chat-1",
    "AIRecommendationJobStatus": "Completed",
    "EndTime": 1784000000.5,
    "Recommendations": [
        {
            "DeploymentConfiguration": {
                "InstanceType": "ml.g6.24xlarge",
                "InstanceCount": 2,
                "CopyCountPerInstance": 2,
            },
            "OptimizationDetails": [{"OptimizationType": "SpeculativeDecoding"}],
            "ExpectedPerformance": [
                {"Metric": "OutputTokenThroughput", "Stat": "avg", "Value": "1893", "Unit": "tokens/sec"},
                {"Metric": "RequestThroughput", "Stat": "avg", "Value": "7.5", "Unit": "requests/sec"},
                {"Metric": "RequestLatency", "Stat": "p50", "Value": "2100", "Unit": "ms"},
                {"Metric": "RequestLatency", "Stat": "p99", "Value": "4.4", "Unit": "s"},
            ],
        }
    ],
}
#: The shape of AIPerf, "Working with profile export files".
AIPERF: dict[str, Any] = {
    "request_throughput": {"unit": "requests/sec", "avg": 13.2},
    "request_latency": {"unit": "ms", "avg": 6550.4, "p50": 5800, "p95": 8980.8, "p99": 9381.6},
    "request_count": {"unit": "requests", "avg": 200.0},
    "error_request_count": None,
    "was_cancelled": False,
    "end_time": "2026-10-17T20:22:24.967633",
    "input_config": {"loadgen": {"concurrency": 100}},
}


def imported(document: Any, target: Target = ENDPOINT) -> Imported:
    text = document if isinstance(document, str) else json.dumps(document, indent=4)
    return import_measurements("result", text, target, CATALOG)


def only(document: Any, target: Target = ENDPOINT) -> MeasuredInstance:
    (one,) = imported(document, target).measured
    return one


def message(document: Any, target: Target = ENDPOINT) -> str:
    with pytest.raises(ConfigError) as raised:
        imported(document, target)
    return str(raised.value)


def changed(document: dict[str, Any], *path: str | int, to: Any) -> dict[str, Any]:
    copy = json.loads(json.dumps(document))
    part = copy
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = to
    return copy  # type: ignore[no-any-return]


def test_recommendations_are_counted_by_the_second() -> None:
    assert imported(RECOMMENDER).measured == (
        MeasuredInstance(
            instance_type="ml.c5.xlarge",
            max_requests_per_second=10.35,
            p95_latency_ms=49,
            date="2026-10-26",
            source="inference-recommender job bert-7, with OMP_NUM_THREADS=2",
        ),
        MeasuredInstance(
            instance_type="ml.g4dn.xlarge",
            max_requests_per_second=50,
            p95_latency_ms=12,
            date="2026-10-26",
            source="inference-recommender job bert-7",
        ),
    )


def test_recommender_does_not_say_its_percentile_and_the_import_says_so() -> None:
    assert imported(RECOMMENDER).notes == (
        "ModelLatency is the latency at the highest load, of a percentile that AWS does not state; "
        "it is taken for the 95th",
    )


def test_environment_goes_into_every_measurement() -> None:
    target = Target(kind="real-time-endpoint", environment="prod")
    assert {one.environment for one in imported(RECOMMENDER, target).measured} == {"prod"}


def test_seconds_since_1970_become_a_date() -> None:
    for seconds, date in (
        (951_782_400, "2000-02-29"),
        (1_735_689_599, "2024-12-31"),
        (1798761600.0, "2027-01-01"),
    ):
        assert imported(changed(RECOMMENDER, "CompletionTime", to=seconds)).measured[0].date == date


def test_serverless_recommendation_is_left_out_with_a_note() -> None:
    configuration = {"ServerlessConfig": {"MemorySizeInMB": 2048, "MaxConcurrency": 5}}
    result = imported(
        changed(RECOMMENDER, "InferenceRecommendations", 1, "EndpointConfiguration", to=configuration)
    )
    assert [one.instance_type for one in result.measured] == ["ml.c5.xlarge"]
    assert result.notes[0] == (
        "InferenceRecommendations.1 is of a serverless endpoint, which has no instance type: left out"
    )


def test_of_two_results_of_a_type_the_one_with_more_requests_is_kept() -> None:
    configuration = {"InstanceType": "ml.c5.xlarge"}
    result = imported(
        changed(RECOMMENDER, "InferenceRecommendations", 1, "EndpointConfiguration", to=configuration)
    )
    assert [one.max_requests_per_second for one in result.measured] == [50]
    assert result.notes[1] == (
        "InferenceRecommendations.0 is on ml.c5.xlarge too, and carries no more than "
        "InferenceRecommendations.1: left out"
    )


def test_long_list_of_variables_is_cut() -> None:
    variables = [{"Key": f"VARIABLE_{number}", "Value": "1"} for number in range(48)]
    path = ("InferenceRecommendations", 0, "ModelConfiguration", "EnvironmentParameters")
    source = imported(changed(RECOMMENDER, *path, to=variables)).measured[0].source
    assert source is not None
    assert source.startswith("inference-recommender job bert-7, with VARIABLE_0=1 VARIABLE_1=1 ")
    assert source.endswith("=1 …")


def test_figures_that_are_not_available_are_not_measured() -> None:
    metrics = {"MaxInvocations": 60, "ModelLatency": float("nan")}
    result = imported(changed(RECOMMENDER, "InferenceRecommendations", 0, "Metrics", to=metrics))
    assert (result.measured[0].max_requests_per_second, result.measured[0].p95_latency_ms) == (1, None)
    none = imported(changed(RECOMMENDER, "InferenceRecommendations", 0, "Metrics", to={}))
    assert [one.instance_type for one in none.measured] == ["ml.g4dn.xlarge"]
    assert "InferenceRecommendations.0 has no figures: left out" in none.notes


def test_existing_endpoint_takes_its_type_from_the_target() -> None:
    performance = {
        "EndpointInfo": {"EndpointName": "old"},
        "Metrics": {"MaxInvocations": 60, "ModelLatency": 9},
    }
    document = {"JobName": "x", "EndpointPerformances": [performance]}
    one = only(document, Target(instance_type="ml.g5.xlarge"))
    assert (one.instance_type, one.source) == ("ml.g5.xlarge", "inference-recommender job x, endpoint old")
    assert message(document) == (
        "result:4  EndpointPerformances.0.instance_type\n"
        "  the instance type is missing\n"
        "  give it with --instance-type"
    )
    both = imported({**RECOMMENDER, "EndpointPerformances": [performance]})
    assert len(both.measured) == 2
    assert "EndpointPerformances.0 names no instance type" in both.notes[0]


def test_ai_recommendation_is_divided_by_its_instances() -> None:
    assert only(AI_RECOMMENDATION) == MeasuredInstance(
        instance_type="ml.g6.24xlarge",
        max_requests_per_second=3.75,
        p95_latency_ms=4400,
        date="2026-07-14",
        source="ai-recommendation job chat-1, with 2 copies per instance and SpeculativeDecoding, the p99 latency",
    )


def test_p95_goes_before_p99() -> None:
    metrics = [
        {"Metric": "request_latency", "Stat": statistic, "Value": value}
        for statistic, value in (("p95", "9"), ("p99", "12"))
    ]
    one = only(changed(AI_RECOMMENDATION, "Recommendations", 0, "ExpectedPerformance", to=metrics))
    assert one.p95_latency_ms == 9
    assert one.source is not None
    assert "p99" not in one.source


def test_token_throughput_alone_measures_no_request() -> None:
    metrics = [{"Metric": "throughput", "Stat": "average", "Value": "512.0", "Unit": "tokens/second"}]
    assert message(changed(AI_RECOMMENDATION, "Recommendations", 0, "ExpectedPerformance", to=metrics)) == (
        "result:5  Recommendations\n"
        "  no request throughput and no p95 or p99 request latency; ExpectedPerformance has: throughput average\n"
        "  import profile_export_aiperf.json from the output of the benchmark job behind the recommendation"
    )


def test_benchmark_is_of_the_endpoint_that_the_target_names() -> None:
    assert only(AIPERF, Target(instance_type="ml.g6.12xlarge", instance_count=4)) == MeasuredInstance(
        instance_type="ml.g6.12xlarge",
        concurrency=25,
        p95_latency_ms=8980.8,
        max_requests_per_second=3.3,
        date="2026-10-17",
        source="aiperf",
    )


def test_benchmark_of_one_request_at_a_time_measures_no_capacity() -> None:
    one = only(
        changed(AIPERF, "input_config", to={"phases": [{"concurrency": 1}]}),
        Target(instance_type="ml.g6.xlarge"),
    )
    assert (one.concurrency, one.max_requests_per_second) == (1, None)


def test_benchmark_needs_a_type() -> None:
    assert message(AIPERF) == (
        "result:1  instance_type\n  the instance type is missing\n  give it with --instance-type"
    )


ROWS = [
    {"instance_type": "ml.g5.xlarge", "concurrency": 1, "p95_latency_ms": 40.5},
    {
        "instance_type": "ml.g5.xlarge",
        "concurrency": 8,
        "max_requests_per_second": 90,
        "source": "k6, evening",
    },
]
CSV = (
    "instance_type, concurrency,p95_latency_ms,max_requests_per_second,source\n"
    "ml.g5.xlarge,1,40.5,,\n"
    '\nml.g5.xlarge,8,,90,"k6, evening"\n'
)


@pytest.mark.parametrize(
    "document", [ROWS, {"measurements": ROWS}, CSV, "\ufeff" + CSV.replace("\n", "\r\n")], ids=range(4)
)
def test_own_forms_say_the_same(document: Any) -> None:
    assert imported(document).measured == tuple(MeasuredInstance.model_validate(row) for row in ROWS)


def test_one_map_is_one_measurement() -> None:
    assert only(ROWS[0]) == MeasuredInstance.model_validate(ROWS[0])


def test_training_job_has_a_count() -> None:
    one = only(
        "instance_type,instance_count,training_units_per_second\nml.p5.48xlarge,4,123456\n",
        Target(kind="training-job"),
    )
    assert (one.instance_count, one.training_units_per_second) == (4, 123456)


@given(st.lists(st.floats(0.01, 1e5, allow_subnormal=False), min_size=1, max_size=5, unique=True))
def test_csv_and_json_of_the_same_numbers_are_the_same(concurrencies: list[float]) -> None:
    rows = [{"instance_type": "ml.g5.xlarge", "concurrency": c, "p95_latency_ms": 5.0} for c in concurrencies]
    text = "instance_type,concurrency,p95_latency_ms\n" + "".join(
        f"ml.g5.xlarge,{c!r},5.0\n" for c in concurrencies
    )
    assert imported(rows).measured == imported(text).measured


MISTAKES: dict[str, tuple[Any, str]] = {
    "not JSON": ('{"JobName": \n', "result:2:1\n  not valid JSON: Expecting value"),
    "a number of thousands of digits": (
        '{"JobName": ' + "9" * 5000 + "}",
        "result\n  a number has too many digits",
    ),
    "no measurement": (
        {"InferenceRecommendations": []},
        "result\n  the file holds no measurement of an instance type\n  the list is empty",
    ),
    "unfinished job": (
        {**RECOMMENDER, "Status": "FAILED", "FailureReason": "no capacity"},
        "result:3  Status\n  the job is FAILED: no capacity\n  import it when it is COMPLETED",
    ),
    "negative": (
        changed(RECOMMENDER, "InferenceRecommendations", 0, "Metrics", "MaxInvocations", to=-5),
        "result:9  InferenceRecommendations.0.Metrics.MaxInvocations\n  got -5; expected a number above 0",
    ),
    "zero": (
        changed(RECOMMENDER, "InferenceRecommendations", 0, "Metrics", "ModelLatency", to=0),
        "result:10  InferenceRecommendations.0.Metrics.ModelLatency\n  got 0; expected a number above 0",
    ),
    "beyond sanity": (
        changed(RECOMMENDER, "InferenceRecommendations", 0, "Metrics", "MaxInvocations", to=6e10),
        "result:9  InferenceRecommendations.0.Metrics.MaxInvocations\n"
        "  got 1000000000.0; as max_requests_per_second, expected a number of at least 0.000001 and at most 1,000,000\n"
        "  What one instance carries within the latency bound of the test.",
    ),
    "a text for a list": (
        {"InferenceRecommendations": "none"},
        'result:2  InferenceRecommendations\n  got "none" (text); expected a list',
    ),
    "unknown type": (
        changed(
            RECOMMENDER,
            "InferenceRecommendations",
            0,
            "EndpointConfiguration",
            "InstanceType",
            to="ml.c5.xlrge",
        ),
        "result:14  InferenceRecommendations.0.EndpointConfiguration.InstanceType\n"
        '  as instance_type, SageMaker has no instance type "ml.c5.xlrge", in any region\n'
        "  did you mean ml.c5.xlarge or ml.c5n.xlarge or ml.c5d.xlarge?",
    ),
    "unknown unit": (
        changed(AI_RECOMMENDATION, "Recommendations", 0, "ExpectedPerformance", 3, "Unit", to="minutes"),
        "result:40  Recommendations.0.ExpectedPerformance.3.Unit\n"
        '  got "minutes"; expected a unit among: ms, millisecond, milliseconds, s, sec, second, seconds',
    ),
    "description of a benchmark": (
        {"AIBenchmarkJobName": "b", "OutputConfig": {"S3OutputLocation": "s3://bucket/results/"}},
        "result:4  OutputConfig.S3OutputLocation\n"
        "  the description of an AI benchmark job holds no results\n"
        "  take output.tar.gz from s3://bucket/results/, and import its profile_export_aiperf.json",
    ),
    "history of a search": (
        {"boundary_summary": {"feasible_max": {"value": 24}}},
        "result:2  boundary_summary\n"
        "  the history of a concurrency search holds no latency and no throughput\n"
        "  import the profile_export_aiperf.json of the level that won",
    ),
    "cancelled run": (
        {**AIPERF, "was_cancelled": True},
        "result:18  was_cancelled\n  the run was cancelled before its end\n  run it again",
    ),
    "failing run": (
        {**AIPERF, "error_request_count": {"avg": 35.0}},
        "result:17  error_request_count\n"
        "  35 of 235 requests failed; at most 1% may\n"
        "  lower the load of the test, or mend the endpoint, and run it again",
    ),
    "unknown key": (
        [{"instance_type": "ml.g5.xlarge", "p95_latency": 4}],
        "result:4  0.p95_latency\n  unknown key\n  did you mean p95_latency_ms?",
    ),
    "unknown column": (
        "instance_type,tail\nml.g5.xlarge,3\n",
        "result:1  tail\n"
        "  unknown key; allowed: instance_type, concurrency, p95_latency_ms, time_to_first_token_ms, inter_token_ms, "
        "max_requests_per_second, training_units_per_second, instance_count, peak_accelerator_memory_gib, date, source",
    ),
    "unit in a cell": (
        "instance_type,p95_latency_ms\nml.g5.xlarge,3ms\n",
        "result:2  p95_latency_ms\n"
        '  got "3ms" (text); expected a number of at least 0.001 and at most 3,600,000\n'
        "  the unit (milliseconds) is in the key's name: write p95_latency_ms: 3",
    ),
    "too many cells": (
        "instance_type,source\nml.g5.xlarge,k6,evening\n",
        "result:2\n  the row has 3 cells, the header 2\n  a text with a comma needs quotes",
    ),
    "open quote": (
        'instance_type,source\nml.g5.xlarge,"k6\n',
        "result:2\n  not valid CSV: unexpected end of data",
    ),
    "nothing measured": (
        "instance_type,source\nml.g5.xlarge,k6\n",
        "result:2\n  nothing is measured; give at least one of p95_latency_ms, time_to_first_token_ms, inter_token_ms, "
        "max_requests_per_second, training_units_per_second, peak_accelerator_memory_gib",
    ),
    "twice": (
        [ROWS[0], ROWS[0]],
        "result:7  1\n  ml.g5.xlarge is measured twice at this concurrency\n  keep one of the two",
    ),
    "of a training job": (
        [{"instance_type": "ml.g5.xlarge", "training_units_per_second": 4}],
        "result:4  0.training_units_per_second\n"
        "  is measured of a training job, but this workload is of the kind real-time-endpoint",
    ),
}


@pytest.mark.parametrize(("document", "expected"), MISTAKES.values(), ids=MISTAKES.keys())
def test_mistake(document: Any, expected: str) -> None:
    assert message(document) == expected


@pytest.mark.parametrize("document", ["", "hello\n", "{}", '{"Status": "COMPLETED"}', "[1]", "a,b\n1,2\n"])
def test_unknown_form_lists_those_that_are_accepted(document: str) -> None:
    text = message(document)
    if document == "[1]":
        assert text == "result:1  0\n  got 1; expected a map"
        return
    assert text.startswith("result\n  the file has none of the accepted forms:\n")
    for form in FORMS:
        assert form.name in text
    assert "CSV" in text


def test_every_mistake_is_reported_at_once() -> None:
    text = message("instance_type,p95_latency_ms\nml.g5.xlarge,0\nml.g5.xlarg,4\n")
    assert text.count("result:2  p95_latency_ms\n") == 1
    assert text.count("result:3  instance_type\n") == 1


KEYS = [
    "InferenceRecommendations",
    "Metrics",
    "MaxInvocations",
    "EndpointConfiguration",
    "InstanceType",
    "EndpointPerformances",
    "Status",
    "Recommendations",
    "ExpectedPerformance",
    "DeploymentConfiguration",
    "Metric",
    "Value",
    "request_latency",
    "request_throughput",
    "p95",
    "avg",
    "unit",
    "instance_type",
    "request_count",
    "error_request_count",
    "input_config",
    "loadgen",
    "concurrency",
    "measurements",
    "metrics",
    "http_reqs",
    "http_req_duration",
    "values",
    "rate",
    "count",
    "p(95)",
    "num_requests",
    "response_times",
    "12",
    "mean_ttft_ms",
    "completed",
    "failed",
    "request_rate",
    "p99_ttft_ms",
]


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-5, 10**12) | st.floats() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
        max_leaves=15,
    )
)
def test_no_document_is_a_crash(document: Any) -> None:
    with suppress(ConfigError):
        imported(document, Target(instance_type="ml.g5.xlarge"))
