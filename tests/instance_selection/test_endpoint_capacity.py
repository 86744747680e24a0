from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sizewell.instance_selection import Catalog, EndpointEstimate, Engine, select_endpoint_instance
from sizewell.instance_selection.catalog import InstanceType
from sizewell.instance_selection.endpoint_evaluation.layout import MAX_SEQUENCES
from sizewell.instance_selection.endpoint_evaluation.times import BURSTABLE_BASELINE
from sizewell.instance_selection.estimation.generation import decoder_of, serve
from sizewell.instance_selection.estimation.queueing import latency_s
from tests.instance_selection.builders import (
    ROUND_CNN,
    ROUND_DECODER,
    catalog,
    cpu_instance,
    decoder_endpoint,
    endpoint,
    endpoint_columns,
    gpu_instance,
    limits,
    machines,
    rejection,
)
from tests.instance_selection.known_coefficients import known

pytestmark = pytest.mark.usefixtures("half_of_peak")


USERS: dict[str, Any] = {
    "peak_requests_per_second": None,
    "average_requests_per_second": None,
    "average_concurrent_users": 1.0,
}


def estimate(instance_type: InstanceType | None = None, **needs: Any) -> EndpointEstimate:
    """Return the estimate of the only type of a catalog, by default a CPU that takes 50 ms for an image."""
    return select_endpoint_instance(
        endpoint(**needs), catalog(instance_type or cpu_instance())
    ).chosen.estimate


def llm(instance_type: InstanceType | None = None, **needs: Any) -> EndpointEstimate:
    """Return the estimate of an LLM engine on a GPU that writes a token in 4 ms."""
    return select_endpoint_instance(
        decoder_endpoint(**needs), catalog(instance_type or gpu_instance())
    ).chosen.estimate


def request_s(sequences: float) -> float:
    """Return the seconds of one of several requests in an LLM engine on a GPU."""
    served = serve(
        decoder_of(ROUND_DECODER),
        machines(gpu_instance()),
        known("generation"),
        input_tokens=100.0,
        output_tokens=100.0,
        sequences=float(sequences),
        degree=1.0,
        continuous=True,
    )
    return float(served.request[0])


def test_a_request_takes_its_operations_over_half_of_the_peak() -> None:
    assert estimate(cpu_instance()).service_time_ms == pytest.approx(50)
    assert estimate(gpu_instance()).service_time_ms == pytest.approx(2)


def test_a_request_takes_as_long_as_all_of_its_images() -> None:
    assert estimate(images_per_request=8, peak_requests_per_second=1).service_time_ms == pytest.approx(8 * 50)


def test_a_decoder_reads_all_weights_for_each_token() -> None:
    # Prefill writes the first token: 2 x 10^9 x 100 operations and 2 x 10 x 1,000 x 100^2 of causal attention at
    # 5 x 10^12 per second. Each of 99 more: 2 x 10^9 bytes and 150 cached tokens of 40,000 bytes at 5 x 10^11 per second.
    prefill_ms = (200e9 + 0.2e9) / 5e12 * 1e3
    step_ms = (2e9 + 150 * 40_000) / 5e11 * 1e3

    found = llm(peak_requests_per_second=0.1)

    # The shorter of two overlapping times (0.4 ms of operations in 4 ms of reading) adds a thousandth.
    assert found.service_time_ms == pytest.approx(prefill_ms + 99 * step_ms, rel=1e-3)


def test_a_large_cpu_works_as_several_workers_that_share_its_memory() -> None:
    small = cpu_instance("ml.c9.4xlarge", vcpus=16, memory_gib=32)
    large = cpu_instance("ml.c9.x16large", vcpus=64, memory_gib=128)
    found = endpoint_columns(endpoint(peak_requests_per_second=1), small, large)

    assert found.layout.replicas.tolist() == [1, 4]
    assert found.layout.alone.request[0] == found.layout.alone.request[1]
    assert found.memory.device_bytes[0] == found.memory.device_bytes[1]
    assert found.capacity.requests_per_second[1] == pytest.approx(4 * found.capacity.requests_per_second[0])


def test_the_slowest_burstable_size_sets_the_sustained_speed() -> None:
    burstable = cpu_instance("ml.t9.xlarge", burstable=True)

    found = estimate(burstable, limits=limits(allow_burstable=True))

    assert found.service_time_ms == pytest.approx(50 / BURSTABLE_BASELINE)


def test_a_burstable_type_is_paid_for_at_peak_because_it_is_not_scaled() -> None:
    burstable = cpu_instance("ml.t9.xlarge", burstable=True)
    load = {"peak_requests_per_second": 20.0, "average_requests_per_second": 1.0}

    scaled = estimate(cpu_instance(), **load)
    fixed = estimate(burstable, limits=limits(allow_burstable=True), max_p95_latency_ms=5000, **load)

    assert scaled.instances_at_average < scaled.instances_at_peak
    assert fixed.instances_at_average == fixed.instances_at_peak > 1


def test_the_capacity_is_the_load_at_which_the_95th_percentile_meets_the_bound() -> None:
    found = estimate(max_p95_latency_ms=150, peak_requests_per_second=1)
    utilization = found.capacity_requests_per_second * 0.050

    assert latency_s(0.050, utilization) == pytest.approx(0.150)


def test_the_capacity_is_capped_however_loose_the_bound() -> None:
    assert estimate(max_p95_latency_ms=60_000).capacity_requests_per_second == pytest.approx(0.85 / 0.050)


@pytest.mark.parametrize("users", [False, True])
def test_a_bound_of_exactly_what_an_idle_instance_reaches_is_met(users: bool) -> None:
    # Milliseconds become seconds and back: a bound must neither be missed nor leave a capacity of zero by rounding.
    by = USERS | {"peak_concurrent_users": 1.0} if users else {"peak_requests_per_second": 1e-3}
    for operations in range(10**9, 10**9 + 50):
        model = replace(ROUND_CNN, forward_flops_per_image=float(operations))
        reached_ms = estimate(model=model, **by).service_time_ms * 1.2

        assert estimate(model=model, max_p95_latency_ms=reached_ms, **by).instances_at_peak >= 1


@pytest.mark.parametrize(
    ("headroom", "instances"),
    # 17 requests per second of one instance, less the share that stays free, against 50.9.
    [(0.0, 3), (0.1, 4), (0.3, 5), (0.5, 6), (0.75, 12)],
)
def test_headroom_keeps_a_share_of_the_capacity_free(headroom: float, instances: int) -> None:
    found = estimate(
        max_p95_latency_ms=60_000, peak_requests_per_second=50.9, headroom=headroom, max_instances=20
    )

    assert found.instances_at_peak == instances
    assert found.utilization == pytest.approx(50.9 / (17 * instances))
    assert found.utilization <= 1 - headroom + 1e-9


def test_the_95th_percentile_at_peak_counts_the_load_of_each_replica() -> None:
    found = estimate(max_p95_latency_ms=60_000, peak_requests_per_second=51, max_instances=20)

    assert found.p95_latency_ms == pytest.approx(1000 * latency_s(0.050, 51 / 5 * 0.050))


def test_no_more_instances_on_average_than_at_peak() -> None:
    found = estimate(peak_requests_per_second=100, average_requests_per_second=100)

    assert found.instances_at_average == found.instances_at_peak


def test_the_least_number_of_instances_holds_for_average_and_peak() -> None:
    found = estimate(peak_requests_per_second=1, average_requests_per_second=0.1, min_instances=2)

    assert (found.instances_at_average, found.instances_at_peak) == (2, 2)


def test_users_wait_for_each_other_so_the_bound_limits_how_many_share_a_replica() -> None:
    # 60 ms alone: seven fit into 420 ms, and 70 % of them are planned for: 4.9.
    found = estimate(max_p95_latency_ms=421, peak_concurrent_users=10.0, **USERS)

    assert found.capacity_concurrency == 7
    assert found.instances_at_peak == 3
    # Ten users on three instances: four on the fullest.
    assert found.p95_latency_ms == pytest.approx(4 * 50 * 1.2)
    assert found.utilization == pytest.approx(10 / 21)


def test_users_keep_a_replica_busy_to_the_full_where_arriving_requests_do_not() -> None:
    by_users = estimate(peak_concurrent_users=1.0, **USERS)
    by_arrivals = estimate(peak_requests_per_second=1)

    assert by_users.capacity_requests_per_second == pytest.approx(1 / 0.050)
    assert by_arrivals.capacity_requests_per_second == pytest.approx(0.85 / 0.050)


def test_a_load_that_fills_whole_instances_takes_no_further_one() -> None:
    # Six users share a replica, 30 % stay free: five instances carry 5 x 4.2 = 21, whatever binary fractions say.
    found = estimate(max_p95_latency_ms=361, peak_concurrent_users=21.0, **USERS)

    assert (found.capacity_concurrency, found.instances_at_peak) == (6, 5)


def test_average_users_decide_what_is_paid_for() -> None:
    load = USERS | {"peak_concurrent_users": 10.0, "max_p95_latency_ms": 421}

    assert estimate(**load).instances_at_average == 1
    assert estimate(**(load | {"average_concurrent_users": 6.0})).instances_at_average == 2


def test_the_latency_bound_limits_the_concurrency_of_an_llm_engine() -> None:
    found = llm(max_p95_latency_ms=1000)
    most = found.capacity_concurrency

    assert 1 < most < MAX_SEQUENCES
    # A few numbers are tried, and those between two of them are in proportion.
    assert 1.2 * request_s(most) <= 1 < 1.2 * request_s(most + 2)
    assert found.capacity_requests_per_second == pytest.approx(most / request_s(most), rel=0.02)
    assert llm(max_p95_latency_ms=2000).capacity_concurrency > most


def test_memory_limits_the_concurrency_of_an_llm_engine_under_a_loose_bound() -> None:
    # 8.13 x 10^9 weights, the reserve of the engine and sampling leave 1.8 GiB of 18.4: a sequence of 13 blocks of 16
    # tokens of 40,000 bytes fits 228 times.
    large = replace(ROUND_DECODER, parameters=8.13e9)

    found = llm(model=large, max_p95_latency_ms=600_000, peak_requests_per_second=0.1)

    assert found.capacity_concurrency == 228
    assert found.memory.fits
    assert found.memory.needed_gib > 0.999 * found.memory.usable_gib
    assert found.near_limits == ("memory",)


def test_the_engine_limits_the_concurrency_where_neither_memory_nor_latency_does() -> None:
    assert llm(max_p95_latency_ms=60_000).capacity_concurrency == MAX_SEQUENCES == 256


def test_replicas_on_one_instance_add_up() -> None:
    one, four = (estimate(gpu_instance(accelerator_count=count)) for count in (1, 4))

    assert (one.replicas_per_instance, four.replicas_per_instance) == (1, 4)
    assert four.capacity_requests_per_second == pytest.approx(4 * one.capacity_requests_per_second)


@pytest.mark.parametrize("accelerators", [1, 2, 4, 8])
def test_the_accelerators_of_an_instance_are_split_into_groups_without_a_rest(accelerators: int) -> None:
    found = llm(gpu_instance(accelerator_count=accelerators), max_p95_latency_ms=5000)

    assert found.tensor_parallel_degree * found.replicas_per_instance == accelerators


def test_at_light_load_an_llm_engine_answers_as_if_alone() -> None:
    found = llm(peak_requests_per_second=0.1)

    assert found.p95_latency_ms == pytest.approx(1.2 * found.service_time_ms)


def test_at_heavy_load_sequences_slow_each_other_down_within_the_bound() -> None:
    found = llm(peak_requests_per_second=8.0)

    assert 1.2 * found.service_time_ms < found.p95_latency_ms <= 1000


def test_an_llm_engine_too_slow_for_a_single_sequence_is_rejected() -> None:
    found = rejection(decoder_endpoint(max_p95_latency_ms=500), catalog(gpu_instance()))

    # (40.05 + 99 x 4.013) x 1.2 ms.
    assert (found.filter, found.reason) == ("latency", "p95 of 525 ms on an idle instance, 500 ms asked")


@pytest.mark.parametrize("engine", [Engine.EAGER, Engine.OPTIMIZED_RUNTIME])
def test_without_continuous_batching_a_replica_serves_one_request_at_a_time(engine: Engine) -> None:
    found = llm(engine=engine, max_p95_latency_ms=60_000, peak_requests_per_second=0.1)

    assert found.capacity_concurrency == 1


@pytest.mark.parametrize("engine", [Engine.EAGER, Engine.OPTIMIZED_RUNTIME])
def test_without_continuous_batching_generated_answers_queue_like_any_other(engine: Engine) -> None:
    # Half a second for an answer, one request a second: the replica is busy half of the time.
    found = llm(engine=engine, max_p95_latency_ms=60_000, peak_requests_per_second=1.0)
    service_s = found.service_time_ms / 1000

    assert found.capacity_requests_per_second == pytest.approx(0.85 / service_s)
    assert found.p95_latency_ms == pytest.approx(1000 * latency_s(service_s, service_s))


def test_what_is_computed_once_for_alike_processors_is_what_each_type_takes(real_catalog: Catalog) -> None:
    times = endpoint_columns(decoder_endpoint(), *real_catalog.instance_types).times
    sequences, degrees = np.array([1.0, 24.0]), np.array([1.0, 4.0])

    found = times.serve_each(sequences[:, None], degrees[:, None, None])

    for d, degree in enumerate(degrees):
        for s, several in enumerate(sequences):
            one = times.serve(several, degree)
            for part in ("first_token", "step", "request"):
                assert getattr(found, part)[d, s] == pytest.approx(getattr(one, part), rel=1e-12)
