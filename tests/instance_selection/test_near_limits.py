"""A pick near its limit says so."""

from dataclasses import replace

import pytest

from sizewell.instance_selection import (
    EndpointEstimate,
    Objective,
    Selection,
    endpoint_selection,
    select_endpoint_instance,
    select_training_instance,
)
from sizewell.instance_selection.decision import DecidedBy, decide
from sizewell.instance_selection.training_evaluation import columns
from tests.instance_selection.builders import (
    GPU,
    ROUND_CNN,
    catalog,
    decoder_training,
    endpoint,
    gpu_instance,
    training,
)

pytestmark = pytest.mark.usefixtures("half_of_peak")

KNOWN = catalog(gpu_instance())


def served(max_p95_latency_ms: float, parameters: float = 1e6) -> EndpointEstimate:
    needs = endpoint(
        model=replace(ROUND_CNN, parameters=parameters),
        max_p95_latency_ms=max_p95_latency_ms,
        peak_requests_per_second=1,
        average_requests_per_second=1,
    )
    return select_endpoint_instance(needs, KNOWN).chosen.estimate


def test_a_bound_within_the_range_of_the_latency_is_near() -> None:
    far = served(1000)
    assert far.latency_range_ms is not None
    _, high = far.latency_range_ms

    assert far.near_limits == ()
    assert served(high * 1.01).near_limits == ()
    assert served(high * 0.99).near_limits == ("latency",)


def test_memory_above_nine_tenths_is_near() -> None:
    # 18.4 GiB are usable: 16.6 are nine tenths, 0.5 of them the context.
    assert served(1000, parameters=8.6e9).near_limits == ()
    assert served(1000, parameters=8.7e9).near_limits == ("memory",)


def test_a_deadline_within_the_range_of_the_duration_is_near() -> None:
    def near(deadline_hours: float) -> tuple[str, ...]:
        return select_training_instance(
            training(deadline_hours=deadline_hours), KNOWN
        ).chosen.estimate.near_limits

    relaxed = select_training_instance(training(deadline_hours=100), KNOWN).chosen.estimate
    assert relaxed.duration_range_hours is not None
    low, high = relaxed.duration_range_hours

    # Start-up and interruptions are no estimate of arithmetic: they are not widened.
    assert 1 / 6 < low < relaxed.duration_hours < high
    assert near(high * 1.01) == ()
    assert near(high * 0.99) == ("deadline",)


def test_a_full_accelerator_of_a_job_is_near() -> None:
    # 18 bytes of each weight: 14.2 GiB, 0.8 of context and 0.7 of activations for each example, of 18.4 GiB.
    whole = decoder_training()
    needs = replace(whole, model=replace(whole.model, parameters=0.85e9))

    assert select_training_instance(needs, KNOWN).chosen.estimate.near_limits == ()
    fuller = replace(needs, model=replace(needs.model, parameters=0.96e9))
    assert select_training_instance(fuller, KNOWN).chosen.estimate.near_limits == ("memory",)


@pytest.mark.parametrize(
    ("usd", "picked", "by"),
    [(1.09, "ml.h9.xlarge", DecidedBy.RANGE), (1.11, "ml.g9.xlarge", DecidedBy.COST)],
)
def test_a_tenth_more_is_paid_for_a_type_that_holds_the_upper_end_of_its_range(
    usd: float, picked: str, by: DecidedBy
) -> None:
    served_at_ease = served(1000).latency_range_ms
    assert served_at_ease is not None
    needs = endpoint(
        max_p95_latency_ms=0.9 * served_at_ease[1], peak_requests_per_second=1, average_requests_per_second=1
    )
    fast = replace(GPU, fp16_dense_tflops=40, memory_bandwidth_gb_s=4000)
    known = catalog(
        gpu_instance("ml.g9.xlarge"),
        gpu_instance("ml.h9.xlarge", accelerator=fast),
        usd_per_hour={"ml.g9.xlarge": 1.0, "ml.h9.xlarge": usd},
    )
    selection = select_endpoint_instance(needs, known)

    assert selection.chosen.instance_type == picked
    assert decide(selection, known).by is by


def test_a_range_that_is_too_wide_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    relaxed = served(1000).latency_range_ms
    assert relaxed is not None
    bound_ms = 0.99 * relaxed[1]
    for module in (endpoint_selection, columns):
        monkeypatch.setattr(module, "MAX_HIGH_OVER_LOW", 4.0)
    assert served(1000).not_predicted == ()
    assert (served(bound_ms).near_limits, served(bound_ms).not_predicted) == ((), ("latency",))
    tight = training(deadline_hours=1.5)
    estimate = select_training_instance(tight, KNOWN).chosen.estimate
    assert (estimate.near_limits, estimate.not_predicted) == ((), ("deadline",))


def test_a_time_that_is_not_predicted_never_wins_and_a_price_does(monkeypatch: pytest.MonkeyPatch) -> None:
    relaxed = served(1000).latency_range_ms
    assert relaxed is not None
    fast = replace(GPU, fp16_dense_tflops=40, memory_bandwidth_gb_s=4000)
    known = catalog(
        gpu_instance("ml.g9.xlarge"),
        gpu_instance("ml.h9.xlarge", accelerator=fast),
        usd_per_hour={"ml.g9.xlarge": 1.0, "ml.h9.xlarge": 9.0},
    )
    monkeypatch.setattr(endpoint_selection, "MAX_HIGH_OVER_LOW", relaxed[1] / relaxed[0] * 0.99)

    def select(objective: Objective, bound_ms: float) -> Selection[EndpointEstimate]:
        needs = endpoint(
            max_p95_latency_ms=bound_ms,
            peak_requests_per_second=1,
            average_requests_per_second=1,
            objective=objective,
        )
        return select_endpoint_instance(needs, known)

    by_cost = select(Objective.LEAST_COST, 0.9 * relaxed[1])
    assert by_cost.chosen.instance_type == "ml.g9.xlarge"
    assert by_cost.chosen.estimate.not_predicted == ("latency",)
    by_time = select(Objective.LEAST_LATENCY, 0.9 * relaxed[1])
    assert by_time.chosen.instance_type == "ml.h9.xlarge"
    assert decide(by_time, known, Objective.LEAST_LATENCY).by is DecidedBy.PREDICTED
