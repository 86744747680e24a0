"""The margin: room that estimates must leave, and measurements need not."""

from dataclasses import replace

import pytest

from sizewell.instance_selection import (
    Measurement,
    NoFeasibleInstanceError,
    select_endpoint_instance,
    select_training_instance,
)
from tests.instance_selection.builders import (
    ROUND_CNN,
    catalog,
    cpu_instance,
    decoder_training,
    endpoint,
    gpu_instance,
    rejection,
    training,
)

pytestmark = pytest.mark.usefixtures("half_of_peak")

#: 60 ms for the 95th percentile of an image on a CPU.
SLOW = catalog(cpu_instance())
LARGE = replace(ROUND_CNN, parameters=9e9)


def test_latency_must_stay_below_the_bound_by_the_margin() -> None:
    assert select_endpoint_instance(endpoint(max_p95_latency_ms=70), SLOW).rejected == ()

    found = rejection(endpoint(max_p95_latency_ms=70, margin=0.25), SLOW)

    assert (found.filter, found.reason) == (
        "latency",
        "p95 of 60 ms (75 ms with the margin of 25%) on an idle instance, 70 ms asked",
    )
    assert found.shortfall == pytest.approx(75 / 70)


def test_a_margin_that_is_just_kept_is_kept() -> None:
    needs = endpoint(max_p95_latency_ms=75.001, margin=0.25, peak_requests_per_second=0.1)

    assert select_endpoint_instance(needs, SLOW).rejected == ()


def test_memory_must_leave_room() -> None:
    # 8.9 x 10^9 weights in two bytes are 16.6 GiB, and 0.5 of context: 18.4 are usable.
    needs = endpoint(model=replace(LARGE, parameters=8.9e9))
    assert select_endpoint_instance(needs, catalog(gpu_instance())).rejected == ()

    found = rejection(replace(needs, margin=0.1), catalog(gpu_instance()))

    assert found.filter == "memory"
    assert found.reason == "needs 18.8 GiB with the margin of 10%, memory offers 18.4"


@pytest.mark.parametrize("parameters", [7.6e9, 8.7e9, 8.9e9])
def test_a_margin_of_an_eighth_leaves_no_pick_that_is_near_its_limit_of_memory(parameters: float) -> None:
    needs = endpoint(model=replace(LARGE, parameters=parameters))
    known = catalog(gpu_instance())
    near = "memory" in select_endpoint_instance(needs, known).chosen.estimate.near_limits

    assert near == (parameters > 8e9)
    if near:
        assert rejection(replace(needs, margin=0.125), known).filter == "memory"
    else:
        assert select_endpoint_instance(replace(needs, margin=0.125), known).rejected == ()


@pytest.mark.parametrize("parameters", [0.8e9, 0.96e9])
def test_the_same_of_a_job(parameters: float) -> None:
    needs = decoder_training()
    needs = replace(needs, model=replace(needs.model, parameters=parameters))
    known = catalog(gpu_instance())
    near = "memory" in select_training_instance(needs, known).chosen.estimate.near_limits

    assert near == (parameters > 0.9e9)
    if near:
        assert rejection(replace(needs, margin=0.125), known).filter == "memory"
    else:
        assert select_training_instance(replace(needs, margin=0.125), known).rejected == ()


def test_the_deadline_must_leave_room() -> None:
    # An hour of work after ten minutes of start-up.
    assert select_training_instance(training(deadline_hours=1.2), catalog(gpu_instance())).rejected == ()

    found = rejection(training(deadline_hours=1.2, margin=0.2), catalog(gpu_instance()))

    assert (found.filter, found.reason) == (
        "deadline",
        "1.2 h (1.4 h with the margin of 20%) on 1 instance, 1.2 h asked",
    )


def test_the_memory_of_a_job_must_leave_room() -> None:
    # 10^9 weights x 18 bytes are 16.8 GiB, and 0.8 of context.
    needs = decoder_training()
    assert select_training_instance(needs, catalog(gpu_instance())).rejected == ()

    found = rejection(replace(needs, margin=0.3), catalog(gpu_instance()))

    assert found.filter == "memory"
    assert "with the margin of 30%" in found.reason


def test_a_measured_latency_needs_no_margin() -> None:
    measured = Measurement(instance_type="ml.c9.xlarge", p95_latency_ms=60.0, concurrency=1.0)
    needs = endpoint(
        max_p95_latency_ms=60, margin=0.5, peak_requests_per_second=0.1, measurements=(measured,)
    )

    chosen = select_endpoint_instance(needs, SLOW).chosen

    assert chosen.estimate.p95_latency_ms == 60
    with pytest.raises(NoFeasibleInstanceError):
        select_endpoint_instance(replace(needs, max_p95_latency_ms=59), SLOW)


def test_measured_memory_needs_no_margin() -> None:
    measured = Measurement(instance_type="ml.g9.xlarge", peak_accelerator_memory_gib=18.0)
    needs = endpoint(model=LARGE, margin=0.5, measurements=(measured,))

    assert select_endpoint_instance(needs, catalog(gpu_instance())).chosen.estimate.measured == ("memory",)


def test_more_headroom_than_none_never_helps() -> None:
    def instances(margin: float) -> int:
        needs = endpoint(max_p95_latency_ms=200, margin=margin, peak_requests_per_second=30, max_instances=50)
        return select_endpoint_instance(needs, SLOW).chosen.estimate.instances_at_peak

    counts = [instances(margin) for margin in (0.0, 0.3, 1.0, 2.0)]
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]
