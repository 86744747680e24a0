import pytest

from constructs_lib.endpoint_metrics import (
    ENDPOINT_METRICS,
    MODEL_LATENCY,
    OVERHEAD_LATENCY,
    MetricSum,
    MetricUnit,
    variant_dimensions,
)


@pytest.mark.parametrize(
    ("name", "namespace", "unit", "summed_over"),
    [
        ("Invocations", "AWS/SageMaker", "None", "instance"),
        ("InvocationsPerInstance", "AWS/SageMaker", "None", "instance"),
        ("ConcurrentRequestsPerModel", "AWS/SageMaker", "None", "instance"),
        ("Invocation4XXErrors", "AWS/SageMaker", "None", "instance"),
        ("Invocation5XXErrors", "AWS/SageMaker", "None", "instance"),
        ("InvocationModelErrors", "AWS/SageMaker", "None", "instance"),
        ("ModelLatency", "AWS/SageMaker", "Microseconds", "instance"),
        ("OverheadLatency", "AWS/SageMaker", "Microseconds", "instance"),
        ("CPUUtilization", "/aws/sagemaker/Endpoints", "Percent", "vcpus"),
        ("GPUUtilization", "/aws/sagemaker/Endpoints", "Percent", "gpus"),
        ("GPUMemoryUtilization", "/aws/sagemaker/Endpoints", "Percent", "gpus"),
        ("MemoryUtilization", "/aws/sagemaker/Endpoints", "Percent", "instance"),
        ("DiskUtilization", "/aws/sagemaker/Endpoints", "Percent", "instance"),
    ],
)
def test_each_metric_has_the_namespace_unit_and_range_of_the_guide(
    name: str, namespace: str, unit: str, summed_over: str
) -> None:
    metric = ENDPOINT_METRICS[name]

    assert metric.namespace == namespace
    assert metric.unit is MetricUnit(unit)
    assert metric.summed_over is MetricSum(summed_over)


def test_the_table_holds_no_other_metric() -> None:
    assert len(ENDPOINT_METRICS) == 13


def test_metrics_are_selected_by_endpoint_and_variant() -> None:
    assert variant_dimensions("fraud", "AllTraffic") == (
        ("EndpointName", "fraud"),
        ("VariantName", "AllTraffic"),
    )


@pytest.mark.parametrize("percentile", ["p50", "p95", "p99", "p99.9", "p0", "p100"])
def test_model_latency_has_percentiles_and_overhead_latency_has_none(percentile: str) -> None:
    assert MODEL_LATENCY.allows(percentile)
    assert not OVERHEAD_LATENCY.allows(percentile)


@pytest.mark.parametrize("misspelt", ["P99", "p101", "99", "Mean", "average", "Percentiles99"])
def test_a_misspelt_statistic_is_not_allowed(misspelt: str) -> None:
    assert not MODEL_LATENCY.allows(misspelt)


@pytest.mark.parametrize("errors", ["Invocation4XXErrors", "Invocation5XXErrors", "InvocationModelErrors"])
def test_the_average_of_an_error_metric_is_its_rate_and_a_percentile_is_meaningless(errors: str) -> None:
    assert ENDPOINT_METRICS[errors].allows("Average")
    assert not ENDPOINT_METRICS[errors].allows("p99")


def test_invocations_can_only_be_summed() -> None:
    assert ENDPOINT_METRICS["Invocations"].statistics == ("Sum",)
    assert ENDPOINT_METRICS["InvocationsPerInstance"].statistics == ("Sum",)
