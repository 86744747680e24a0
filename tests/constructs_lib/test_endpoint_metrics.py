import pytest

from constructs_lib.endpoint_metrics import ENDPOINT_METRICS, MODEL_LATENCY, OVERHEAD_LATENCY, MetricSum


def test_only_processors_and_their_memory_are_summed_over() -> None:
    summed = {name: metric.summed_over for name, metric in ENDPOINT_METRICS.items()}
    assert {name: over for name, over in summed.items() if over is not MetricSum.INSTANCE} == {
        "CPUUtilization": MetricSum.VCPUS,
        "GPUUtilization": MetricSum.GPUS,
        "GPUMemoryUtilization": MetricSum.GPUS,
    }


@pytest.mark.parametrize("percentile", ["p50", "p99.9", "p0", "p100"])
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
