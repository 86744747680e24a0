"""Which statistics are read of each kind of endpoint, and what they say together."""

import pytest

from sizewell.facts.durations import DAY_S, HOUR_S, MINUTE_S
from sizewell.facts.endpoint_metrics import (
    NOT_ASYNCHRONOUS,
    OF_SERVERLESS,
    endpoint_metrics,
    queue_dimensions,
    variant_dimensions,
)
from sizewell.facts.metric_statistics import MAX_DAYS, MetricStatistic, Series, finest_period_s
from sizewell.facts.metrics import DIMENSIONS
from sizewell.planning import load_plan
from sizewell.planning.observed_model import ObservedModel, Seen
from sizewell.planning.workload_plan import WorkloadPlan
from tests.synthesis import PROJECT_ROOT

VARIANT = variant_dimensions("chat", "primary")
MODEL = ObservedModel(endpoint_name="chat", variant_name="primary", load=(VARIANT,), host=VARIANT)


def planned(kind: str) -> WorkloadPlan:
    """Return the workload of a kind out of its example."""
    plan = load_plan(PROJECT_ROOT / "examples" / kind / "config", "prod")
    return next(workload for workload in plan.workloads if workload.kind == kind)


KINDS = {
    "real-time-endpoint": "Invocations",
    "multi-model-endpoint": "Invocations",
    "serverless-endpoint": "Invocations",
    "inference-component-endpoint": "Invocations",
    "asynchronous-endpoint": "ModelLatency",
}


@pytest.mark.parametrize(("kind", "counted_by"), KINDS.items())
def test_each_kind_is_read_by_metrics_that_it_publishes(kind: str, counted_by: str) -> None:
    observed = list(planned(kind).observed)
    assert observed
    for model in observed:
        statistics = model.statistics(MINUTE_S)
        assert statistics[0].metric == counted_by
        for one in statistics:
            metric = endpoint_metrics()[one.metric]
            assert metric.allows(one.statistic)
            keys = tuple(name for name, _ in one.dimensions)
            assert keys in [DIMENSIONS[of] for of in metric.kinds], one
        names = {one.metric for one in statistics}
        if kind == "serverless-endpoint":
            assert names <= OF_SERVERLESS
        if kind == "asynchronous-endpoint":
            assert not names & set(NOT_ASYNCHRONOUS)


def test_components_are_counted_apart_on_instances_that_they_share() -> None:
    plan = planned("inference-component-endpoint")
    observed = list(plan.observed)
    assert len({model.load for model in observed}) == len(observed) > 1
    assert len({model.host for model in observed}) == 1
    assert all(model.path[0] == "components" for model in observed)


def test_what_runs_jobs_is_not_observed() -> None:
    assert list(planned("training-job").observed) == []


def test_a_statistic_that_the_metric_does_not_have_cannot_be_asked_for() -> None:
    with pytest.raises(AssertionError, match="Invocations has no p95"):
        MetricStatistic("Invocations", "p95", VARIANT, MINUTE_S)


@pytest.mark.parametrize(
    ("days", "period_s"), [(1, 60), (14, 60), (15, 300), (62, 300), (63, 3600), (454, 3600)]
)
def test_values_are_as_fine_as_cloudwatch_keeps_them(days: int, period_s: int) -> None:
    assert finest_period_s(days) == period_s
    assert days <= MAX_DAYS


def see(model: ObservedModel, values: dict[tuple[str, str], Series], **changes: float) -> Seen:
    """Return what is seen where CloudWatch has these values, by metric and statistic."""
    series = {one: values.get((one.metric, one.statistic), {}) for one in model.statistics(MINUTE_S)}
    given = {"age_s": 30.0 * DAY_S, "vcpus": 4, "gpus": 2, **changes}
    return model.seen(series, days=14, period_s=MINUTE_S, **given)  # type: ignore[arg-type]


def test_utilisation_is_of_a_whole_instance() -> None:
    values = {
        ("CPUUtilization", "Average"): {0: 80.0, HOUR_S: 200.0},
        ("GPUUtilization", "Average"): {0: 28.0},
        ("MemoryUtilization", "Maximum"): {0: 61.0},
    }
    assert see(MODEL, values).utilization == {
        "CPUUtilization": 50,
        "GPUUtilization": 14,
        "MemoryUtilization": 61,
    }
    assert see(MODEL, values, vcpus=0, gpus=0).utilization == {"MemoryUtilization": 61}


def test_latency_is_that_of_the_busiest_hour() -> None:
    values = {
        ("Invocations", "Sum"): {0: 60.0, HOUR_S: 60.0, HOUR_S + MINUTE_S: 60.0},
        ("ModelLatency", "p95"): {0: 90_000.0, HOUR_S: 40_000.0},
    }
    found = see(MODEL, values)
    assert found.busiest_hour == HOUR_S
    assert found.latency_ms(found.p95_us) == 40
    assert found.latency_ms(found.p50_us) is None


def test_requests_of_variants_are_added() -> None:
    other = variant_dimensions("chat", "candidate")
    model = ObservedModel(endpoint_name="chat", variant_name="primary", load=(VARIANT, other), host=VARIANT)
    assert see(model, {("Invocations", "Sum"): {0: 60.0}}).requests == {0: 120.0}


def test_what_waits_in_a_queue_has_arrived() -> None:
    model = ObservedModel(
        endpoint_name="chat",
        variant_name="primary",
        load=(VARIANT,),
        host=VARIANT,
        counted_by=("ModelLatency", "SampleCount"),
        queue=queue_dimensions("chat"),
    )
    values = {
        ("ModelLatency", "SampleCount"): {0: 10.0, 60: 10.0, 120: 10.0},
        ("ApproximateBacklogSize", "Maximum"): {0: 20.0, 60: 10.0, 120: 0.0},
    }
    assert see(model, values).requests == {0: 30.0}


def test_an_endpoint_is_seen_for_as_long_as_it_is_there() -> None:
    assert see(MODEL, {}, age_s=2.0 * DAY_S).days == 2
    assert see(MODEL, {}).days == 14
