import csv

import pytest

from sizewell.facts.endpoint_metrics import endpoint_metrics, variant_dimensions
from sizewell.facts.metrics import (
    DIMENSIONS,
    TABLE,
    MetricSum,
    MetricUnit,
    UnknownMetricError,
    metric,
    metrics,
)


def test_metrics_are_unique_and_sourced() -> None:
    with TABLE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(metrics())
    assert all(row["source"] and row["kinds"] for row in rows)
    assert {kind for one in metrics().values() for kind in one.kinds} == set(DIMENSIONS)


@pytest.mark.parametrize(
    ("name", "namespace", "unit", "summed_over"),
    [
        ("Invocation5XXErrors", "AWS/SageMaker", "None", "instance"),
        ("ModelLatency", "AWS/SageMaker", "Microseconds", "instance"),
        ("CPUUtilization", "/aws/sagemaker/Endpoints", "Percent", "vcpus"),
        ("GPUUtilization", "/aws/sagemaker/Endpoints", "Percent", "gpus"),
        ("GPUMemoryUtilization", "/aws/sagemaker/Endpoints", "Percent", "gpus"),
        ("DiskUtilization", "/aws/sagemaker/Endpoints", "Percent", "instance"),
        ("GPUUtilization", "/aws/sagemaker/TrainingJobs", "Percent", "gpus"),
        ("Duration", "AWS/Lambda", "Milliseconds", "instance"),
        ("ExecutionTime", "AWS/States", "Milliseconds", "instance"),
    ],
)
def test_metrics_have_the_namespace_unit_and_range_of_the_guide(
    name: str, namespace: str, unit: str, summed_over: str
) -> None:
    found = metric(namespace, name)

    assert found.unit is MetricUnit(unit)
    assert found.summed_over is MetricSum(summed_over)


def test_unit_statistics_and_range_are_known_together() -> None:
    for one in metrics().values():
        known = (one.unit is not MetricUnit.UNKNOWN, bool(one.statistics))
        assert set(known) == {one.summed_over is not MetricSum.UNKNOWN}, one.name


@pytest.mark.parametrize(
    ("namespace", "name"),
    [
        ("AWS/SageMaker", "ModelLatencies"),
        ("AWS/Lambda", "ModelLatency"),
        ("/aws/sagemaker/TransformJobs", "DiskUtilization"),
    ],
)
def test_what_is_not_published_there_is_no_metric(namespace: str, name: str) -> None:
    with pytest.raises(UnknownMetricError, match=f"{namespace} has no metric {name}"):
        metric(namespace, name)


def test_metrics_are_selected_by_endpoint_and_variant() -> None:
    assert variant_dimensions("fraud", "AllTraffic") == (
        ("EndpointName", "fraud"),
        ("VariantName", "AllTraffic"),
    )


@pytest.mark.parametrize("percentile", ["p50", "p95", "p99", "p99.9", "p0", "p100"])
def test_model_latency_has_percentiles_and_overhead_latency_has_none(percentile: str) -> None:
    assert endpoint_metrics()["ModelLatency"].allows(percentile)
    assert not endpoint_metrics()["OverheadLatency"].allows(percentile)


@pytest.mark.parametrize("misspelt", ["P99", "p101", "99", "Mean", "average", "Percentiles99"])
def test_a_misspelt_statistic_is_not_allowed(misspelt: str) -> None:
    assert not endpoint_metrics()["ModelLatency"].allows(misspelt)


@pytest.mark.parametrize("errors", ["Invocation4XXErrors", "Invocation5XXErrors", "InvocationModelErrors"])
def test_the_average_of_an_error_metric_is_its_rate_and_a_percentile_is_meaningless(errors: str) -> None:
    assert endpoint_metrics()[errors].allows("Average")
    assert not endpoint_metrics()[errors].allows("p99")


def test_invocations_can_only_be_summed() -> None:
    assert endpoint_metrics()["Invocations"].statistics == ("Sum",)
    assert endpoint_metrics()["InvocationsPerInstance"].statistics == ("Sum",)
