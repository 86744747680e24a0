"""What was measured beats what is predicted, and says so."""

from dataclasses import replace
from typing import Any

import pytest

from sizewell.instance_selection import (
    EndpointEstimate,
    Measurement,
    NoFeasibleInstanceError,
    SpotRequirements,
    TrainingEstimate,
    select_endpoint_instance,
    select_training_instance,
)
from sizewell.instance_selection.estimation.shared_error import OTHER_FACTOR, SHARED_PART
from sizewell.instance_selection.latency_bounds import FIRST_TOKEN
from tests.instance_selection.builders import GPU as ACCELERATOR
from tests.instance_selection.builders import (
    ROUND_CNN,
    catalog,
    cpu_instance,
    decoder_endpoint,
    endpoint,
    endpoint_columns,
    gpu_instance,
    rejection,
    training,
)

pytestmark = pytest.mark.usefixtures("half_of_peak")

CPU, GPU = "ml.c9.xlarge", "ml.g9.xlarge"
BOTH = catalog(cpu_instance(CPU), gpu_instance(GPU), usd_per_hour={CPU: 0.1, GPU: 1.0})


def served(name: str = CPU, needs: dict[str, Any] | None = None, **measured: Any) -> EndpointEstimate:
    """Return the estimate of a type of which something was measured."""
    found = select_endpoint_instance(
        endpoint(measurements=(Measurement(instance_type=name, **measured),), **(needs or {})), BOTH
    )
    return next(c for c in (found.chosen, *found.runners_up) if c.instance_type == name).estimate


def trained(*measured: Measurement, **needs: Any) -> TrainingEstimate:
    cluster = gpu_instance(GPU, accelerator_count=8, efa_supported=True, network_baseline_gbps=400)
    known = catalog(cluster, usd_per_hour={GPU: 1.0})
    return select_training_instance(training(measurements=measured, **needs), known).chosen.estimate


def test_a_measured_latency_replaces_the_prediction_and_has_no_range() -> None:
    # 60 ms are predicted.
    found = served(p95_latency_ms=30.0)

    assert found.p95_latency_ms == 30
    assert found.measured == ("latency",)
    assert found.latency_range_ms is None
    assert "latency" not in found.near_limits


def test_a_measured_latency_of_one_request_tells_the_service_time() -> None:
    assert served(p95_latency_ms=30.0, concurrency=1.0).service_time_ms == pytest.approx(30 / 1.2)
    assert served(p95_latency_ms=30.0).service_time_ms == pytest.approx(30 / 1.2)
    # Of many at a time it does not tell what one alone would take.
    assert served(p95_latency_ms=30.0, concurrency=8.0).service_time_ms == pytest.approx(50)


def test_a_measured_throughput_is_the_capacity() -> None:
    found = served(max_requests_per_second=40.0, needs={"peak_requests_per_second": 50})

    # 50 / (40 x 0.7).
    assert (found.capacity_requests_per_second, found.instances_at_peak) == (40, 2)
    assert found.utilization == pytest.approx(50 / 80)
    assert found.measured == ("throughput",)
    assert found.latency_range_ms is not None


def test_measured_memory_decides_whether_the_model_fits() -> None:
    large = {"model": replace(ROUND_CNN, parameters=10e9)}
    assert rejection(endpoint(**large), BOTH, GPU).filter == "memory"

    found = served(GPU, large, peak_accelerator_memory_gib=18.0)

    assert found.measured == ("memory",)
    assert "memory" not in found.near_limits


def test_a_model_that_was_measured_to_be_too_large_does_not_fit() -> None:
    measured = Measurement(instance_type=GPU, peak_accelerator_memory_gib=19.0)

    assert rejection(endpoint(measurements=(measured,)), BOTH, GPU).filter == "memory"


def test_several_figures_of_one_measurement_are_all_marked() -> None:
    found = served(p95_latency_ms=30.0, max_requests_per_second=40.0, peak_accelerator_memory_gib=3.0)

    assert set(found.measured) == {"latency", "throughput", "memory"}


def test_a_later_measurement_of_a_type_says_what_it_measured_and_an_earlier_one_the_rest() -> None:
    latency = Measurement(
        instance_type=CPU, p95_latency_ms=30.0, concurrency=1.0, peak_accelerator_memory_gib=3.0
    )
    capacity = Measurement(instance_type=CPU, max_requests_per_second=40.0, concurrency=8.0)
    under_load = Measurement(instance_type=CPU, p95_latency_ms=90.0, concurrency=8.0)

    def found(*measurements: Measurement) -> EndpointEstimate:
        return select_endpoint_instance(endpoint(measurements=measurements), BOTH).chosen.estimate

    for both in (found(latency, capacity), found(capacity, latency)):
        assert (both.p95_latency_ms, both.capacity_requests_per_second) == (30, 40)
        assert both.service_time_ms == pytest.approx(30 / 1.2)
        assert set(both.measured) == {"latency", "throughput", "memory"}
    # A latency is of its concurrency: of eight requests at a time it says nothing of one.
    all_three = found(latency, capacity, under_load)
    assert (all_three.p95_latency_ms, all_three.capacity_requests_per_second) == (90, 40)
    assert all_three.service_time_ms == pytest.approx(50)


def test_a_measurement_of_a_type_of_sagemaker_holds_for_the_type_of_ec2() -> None:
    of_ec2 = catalog(replace(cpu_instance(CPU), name="c9.xlarge"), usd_per_hour={"c9.xlarge": 0.1})
    measured = Measurement(instance_type="ml.c9.xlarge", p95_latency_ms=30.0)

    found = select_endpoint_instance(endpoint(measurements=(measured,)), of_ec2).chosen

    assert (found.instance_type, found.estimate.p95_latency_ms) == ("c9.xlarge", 30)


def test_a_slow_measurement_turns_down_what_was_predicted_to_be_fast() -> None:
    measured = Measurement(instance_type=GPU, p95_latency_ms=5000.0)

    found = rejection(endpoint(measurements=(measured,)), BOTH, GPU)

    assert (found.filter, found.reason) == ("latency", "p95 of 5.00 s on an idle instance, 1.00 s asked")


def test_a_measurement_of_a_type_that_is_not_considered_changes_nothing() -> None:
    measured = Measurement(instance_type="ml.elsewhere.large", p95_latency_ms=5.0)

    assert select_endpoint_instance(endpoint(measurements=(measured,)), BOTH) == select_endpoint_instance(
        endpoint(), BOTH
    )


def test_a_generating_model_takes_measurements_too() -> None:
    measured = Measurement(
        instance_type=GPU, p95_latency_ms=400.0, max_requests_per_second=3.0, concurrency=1.0
    )
    # 530 ms are predicted.
    needs = decoder_endpoint(max_p95_latency_ms=500, measurements=(measured,))

    found = select_endpoint_instance(needs, BOTH).chosen

    assert found.instance_type == GPU
    assert found.estimate.measured == ("latency", "throughput")
    assert (found.estimate.p95_latency_ms, found.estimate.capacity_requests_per_second) == (400, 3)


def test_a_measured_speed_of_training_replaces_the_prediction() -> None:
    # 600,000 images at 200 per second are 50 minutes.
    found = trained(Measurement(instance_type=GPU, training_units_per_second=200.0))

    assert found.units_per_second == pytest.approx(200)
    assert found.duration_hours == pytest.approx(1)
    assert found.measured == ("throughput",)
    assert found.duration_range_hours is None
    assert "deadline" not in found.near_limits


def test_a_training_measured_on_a_type_of_sagemaker_holds_for_the_type_of_ec2() -> None:
    cluster = replace(gpu_instance(GPU, accelerator_count=8), name="g9.xlarge")
    measured = Measurement(instance_type=GPU, training_units_per_second=200.0)
    needs = training(measurements=(measured,))

    found = select_training_instance(needs, catalog(cluster, usd_per_hour={"g9.xlarge": 1.0})).chosen.estimate

    assert found.units_per_second == pytest.approx(200)


def test_a_measured_cluster_is_that_of_its_size_and_no_other() -> None:
    two = Measurement(instance_type=GPU, training_units_per_second=3000.0, instance_count=2)

    predicted = trained(two, max_instances=4, deadline_hours=24)
    in_a_hurry = trained(two, max_instances=4, deadline_hours=0.25, units=600_000)

    # One instance is cheaper and in time: nobody has measured it.
    assert (predicted.instance_count, predicted.measured) == (1, ())
    assert (in_a_hurry.instance_count, in_a_hurry.measured) == (2, ("throughput",))
    assert in_a_hurry.units_per_second == pytest.approx(3000)


def test_a_measured_job_tells_of_other_types_and_of_other_sizes_of_its_cluster() -> None:
    other = "ml.g8.xlarge"
    known = catalog(
        gpu_instance(GPU, accelerator_count=8, efa_supported=True, network_baseline_gbps=400),
        gpu_instance(other, accelerator=replace(ACCELERATOR, name="Other GPU")),
        usd_per_hour={GPU: 9.0, other: 1.0},
    )

    def estimates(*measured: Measurement) -> dict[str, TrainingEstimate]:
        needs = training(measurements=measured, max_instances=2, deadline_hours=1000)
        found = select_training_instance(needs, known)
        return {c.instance_type: c.estimate for c in (found.chosen, *found.runners_up)}

    before = estimates()
    assert before[GPU].instance_count == 1
    two = Measurement(instance_type=GPU, training_units_per_second=10.0, instance_count=2)
    after = estimates(two)
    slower = before[GPU].units_per_second / after[GPU].units_per_second
    assert slower > 100
    assert before[other].units_per_second / after[other].units_per_second == pytest.approx(
        slower**SHARED_PART
    )
    assert (after[GPU].scaled_by, after[other].scaled_by) == ((GPU,), (GPU,))
    assert estimates(replace(two, instance_count=1))[GPU].scaled_by == ()
    range_hours = after[other].duration_range_hours
    assert range_hours is not None
    assert range_hours[1] / after[other].duration_hours < OTHER_FACTOR


def test_a_larger_cluster_than_allowed_says_nothing_about_a_smaller_one() -> None:
    four = Measurement(instance_type=GPU, training_units_per_second=1e6, instance_count=4)

    assert trained(four, max_instances=2) == trained(max_instances=2)


def test_a_measured_job_is_too_slow_for_its_deadline() -> None:
    slow = Measurement(instance_type=GPU, training_units_per_second=1.0)

    with pytest.raises(NoFeasibleInstanceError, match=r"deadline: 166\.8 h on 1 instance"):
        trained(slow, deadline_hours=24)


def test_interruptions_prolong_a_measured_job_as_any_other() -> None:
    measured = Measurement(instance_type=GPU, training_units_per_second=200.0)
    spot = SpotRequirements(checkpoint_interval_hours=1.0, on_demand_fallback=False)

    assert trained(measured, spot=spot).duration_hours > trained(measured).duration_hours


def generated(**measured: Any) -> EndpointEstimate:
    """Return the estimate of a model that generates, on a type on which something was measured."""
    needs = decoder_endpoint(
        max_p95_latency_ms=60_000,
        measurements=(Measurement(instance_type=GPU, **measured),) if measured else (),
    )
    alone = catalog(gpu_instance(GPU), usd_per_hour={GPU: 1.0})
    return select_endpoint_instance(needs, alone).chosen.estimate


def test_a_measured_first_token_and_step_replace_their_predictions() -> None:
    found = generated(time_to_first_token_ms=321.0, inter_token_ms=7.0, concurrency=8.0)

    assert (found.time_to_first_token_ms, found.inter_token_ms) == (321, 7)
    assert found.measured == ("time to first token", "time between tokens")


def test_a_request_follows_the_parts_of_its_answer_that_were_measured() -> None:
    predicted = generated()
    assert predicted.time_to_first_token_ms is not None
    assert predicted.inter_token_ms is not None
    twice = generated(
        time_to_first_token_ms=2 * predicted_alone("first_token"), inter_token_ms=2 * predicted_alone("step")
    )

    assert twice.service_time_ms == pytest.approx(2 * predicted.service_time_ms)
    # What was measured of whole answers goes before.
    whole = generated(p95_latency_ms=600.0, inter_token_ms=2 * predicted_alone("step"))
    assert whole.p95_latency_ms == 600
    assert whole.service_time_ms == pytest.approx(500)
    assert whole.inter_token_ms == 2 * predicted_alone("step")


def predicted_alone(part: str) -> float:
    """Return what is predicted in 95 of 100 answers of a part of an answer alone, in milliseconds."""
    needs = decoder_endpoint(max_p95_latency_ms=60_000)
    columns = endpoint_columns(needs, gpu_instance(GPU))
    return float(getattr(columns.layout.alone, part)[0]) * 1200


def test_a_measured_first_token_needs_no_margin_and_has_no_range() -> None:
    predicted = generated()
    limit = predicted_alone("first_token") * 1.01
    bounded = {"max_p95_latency_ms": 60_000, "max_time_to_first_token_ms": limit, "margin": 0.5}
    assert rejection(decoder_endpoint(**bounded), BOTH, GPU).filter == "first-token"

    measured = Measurement(instance_type=GPU, time_to_first_token_ms=limit)
    found = select_endpoint_instance(decoder_endpoint(**bounded, measurements=(measured,)), BOTH).chosen

    assert "first-token" not in found.estimate.near_limits
    assert FIRST_TOKEN.range_ms(found.estimate) is None
    assert FIRST_TOKEN.range_ms(predicted) is not None
