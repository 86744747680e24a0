"""A measurement on one type tells all of those with the same processors, and most of all others."""

from dataclasses import replace

import pytest

from sizewell.instance_selection import EndpointEstimate, Engine, Measurement, select_endpoint_instance
from sizewell.instance_selection.catalog import InstanceType
from sizewell.instance_selection.estimation.shared_error import (
    OTHER_FACTOR,
    SHARED_PART,
    SIBLING_FACTOR,
    Shared,
)
from sizewell.instance_selection.requirements import EndpointRequirements
from tests.instance_selection.builders import (
    CPU,
    GPU,
    ROUND_CNN,
    ROUND_DECODER,
    catalog,
    cpu_instance,
    decoder_endpoint,
    endpoint,
    gpu_instance,
)

pytestmark = pytest.mark.usefixtures("half_of_peak")

SMALL, LARGE, FOUR, OTHER = "ml.g9.xlarge", "ml.g9.2xlarge", "ml.g9.12xlarge", "ml.g8.xlarge"
TYPES = (
    gpu_instance(SMALL),
    gpu_instance(LARGE, vcpus=8, memory_gib=128),
    gpu_instance(FOUR, vcpus=48, accelerator_count=4, memory_gib=256),
    gpu_instance(OTHER, accelerator=replace(GPU, name="Other GPU")),
)


def estimates(
    needs: EndpointRequirements, *measured: Measurement, types: tuple[InstanceType, ...] = TYPES
) -> dict[str, EndpointEstimate]:
    found = select_endpoint_instance(replace(needs, measurements=measured), catalog(*types))
    return {c.instance_type: c.estimate for c in (found.chosen, *found.runners_up)}


def test_a_measured_latency_scales_the_siblings_by_all_and_others_by_most_of_it() -> None:
    before = estimates(endpoint())
    # 2 ms are predicted, 2.4 at the 95th percentile.
    after = estimates(endpoint(), Measurement(instance_type=LARGE, p95_latency_ms=7.2))

    assert after[LARGE].p95_latency_ms == 7.2
    for sibling in (SMALL, FOUR):
        assert after[sibling].service_time_ms == pytest.approx(3 * before[sibling].service_time_ms)
        assert (after[sibling].measured, after[sibling].scaled_by) == ((), (LARGE,))
    assert after[LARGE].scaled_by == ()
    assert after[OTHER].service_time_ms == pytest.approx(3**SHARED_PART * before[OTHER].service_time_ms)
    assert after[OTHER].scaled_by == (LARGE,)


def test_a_measured_throughput_scales_the_capacity_of_siblings_by_their_replicas() -> None:
    found = estimates(endpoint(), Measurement(instance_type=LARGE, max_requests_per_second=100.0))
    before = estimates(endpoint())

    share = 100 / before[LARGE].capacity_requests_per_second
    assert found[SMALL].capacity_requests_per_second == pytest.approx(100)
    assert found[FOUR].capacity_requests_per_second == pytest.approx(
        share * before[FOUR].capacity_requests_per_second
    )
    assert found[SMALL].latency_range_ms == before[SMALL].latency_range_ms


def test_latency_and_throughput_of_one_measurement_are_not_counted_twice() -> None:
    both = Measurement(instance_type=LARGE, p95_latency_ms=7.2, max_requests_per_second=100.0)

    assert estimates(endpoint(), both)[SMALL].capacity_requests_per_second == pytest.approx(100)


def test_of_several_siblings_the_geometric_mean_counts_and_what_was_measured_on_a_type_goes_before() -> None:
    found = estimates(
        endpoint(),
        Measurement(instance_type=LARGE, p95_latency_ms=2.4 * 4),
        Measurement(instance_type=FOUR, p95_latency_ms=2.4),
    )

    assert found[SMALL].service_time_ms == pytest.approx(2 * 2)
    assert found[SMALL].scaled_by == (FOUR, LARGE)
    assert found[LARGE].service_time_ms == pytest.approx(4 * 2)


def test_ranges_narrow_to_how_much_types_differ() -> None:
    def width(found: EndpointEstimate) -> float:
        assert found.latency_range_ms is not None
        return found.latency_range_ms[1] / found.p95_latency_ms

    before = width(estimates(endpoint())[SMALL])
    after = estimates(endpoint(), Measurement(instance_type=LARGE, p95_latency_ms=7.2))

    assert width(after[SMALL]) == pytest.approx(min(before, SIBLING_FACTOR))
    assert width(after[OTHER]) == pytest.approx(min(before, OTHER_FACTOR))
    assert width(after[SMALL]) < before


def test_more_measurements_of_others_tell_more() -> None:
    one, three = Shared("abcd", {0: 4.0}), Shared("abcd", {0: 4.0, 1: 4.0, 2: 4.0})
    assert one.factors[3] == pytest.approx(4**SHARED_PART)
    assert three.factors[3] == pytest.approx(4 ** (3 * SHARED_PART / (1 + 2 * SHARED_PART)))
    assert [*three.factors[:3]] == [4.0] * 3
    assert three.by == ((), (), (), (0, 1, 2))
    # Errors in opposite directions say nothing.
    assert Shared("abc", {0: 4.0, 1: 0.25}).factors[2] == pytest.approx(1)
    assert [*Shared("ab", {}).factors] == [1, 1]


def test_tensor_parallel_groups_are_siblings_of_those_of_the_same_size() -> None:
    # 32 GiB of weights lie on two GPUs of 20; on the small types they do not fit.
    large = replace(ROUND_DECODER, parameters=14e9)
    needs = decoder_endpoint(model=large, max_p95_latency_ms=60_000)
    types = (*TYPES, gpu_instance("ml.g9.24xlarge", vcpus=96, accelerator_count=4, memory_gib=512))
    before = estimates(needs, types=types)
    after = estimates(
        needs, Measurement(instance_type="ml.g9.24xlarge", p95_latency_ms=20_000, concurrency=1), types=types
    )

    assert after[FOUR].scaled_by == ("ml.g9.24xlarge",)
    assert after[FOUR].service_time_ms == pytest.approx(after["ml.g9.24xlarge"].service_time_ms)
    assert after[FOUR].service_time_ms > before[FOUR].service_time_ms


def test_a_measured_first_token_scales_that_part_of_other_types_and_their_requests() -> None:
    needs = decoder_endpoint(max_p95_latency_ms=60_000)
    before = estimates(needs)
    slow = Measurement(
        instance_type=LARGE, time_to_first_token_ms=10 * (before[LARGE].time_to_first_token_ms or 0)
    )
    after = estimates(needs, slow)

    for name in (SMALL, OTHER):
        assert (after[name].time_to_first_token_ms or 0) > 2 * (before[name].time_to_first_token_ms or 0)
        assert after[name].service_time_ms > before[name].service_time_ms
        assert after[name].inter_token_ms == pytest.approx(before[name].inter_token_ms, rel=0.2)
        assert after[name].scaled_by == (LARGE,)


def test_an_llm_engine_is_scaled_by_what_was_measured_under_load_and_others_are_not() -> None:
    under_load = Measurement(instance_type=LARGE, p95_latency_ms=2_000, concurrency=8)
    engine = decoder_endpoint(max_p95_latency_ms=60_000)
    eager = decoder_endpoint(max_p95_latency_ms=60_000, engine=Engine.EAGER, peak_requests_per_second=0.1)

    assert estimates(engine, under_load)[SMALL].scaled_by == (LARGE,)
    assert estimates(eager, under_load)[SMALL].scaled_by == ()


def test_measured_memory_holds_for_the_same_cards() -> None:
    needs = endpoint(model=replace(ROUND_CNN, parameters=10e9))
    found = estimates(needs, Measurement(instance_type=LARGE, peak_accelerator_memory_gib=15))

    assert SMALL in found
    assert OTHER not in found


def test_cpus_are_siblings_by_their_cores_and_not_by_their_family() -> None:
    same = cpu_instance("ml.m9.xlarge", cpu=replace(CPU, name="m9"))
    newer = cpu_instance("ml.c10.xlarge", cpu=replace(CPU, name="c10", sustained_clock_ghz=4.0))
    fewer = cpu_instance("ml.c9.large", vcpus=2)
    arm = cpu_instance("ml.c9g.xlarge", cpu_architecture="arm64")
    types = (cpu_instance(), same, newer, fewer, arm)
    before = estimates(endpoint(), types=types)
    found = estimates(endpoint(), Measurement(instance_type="ml.c9.xlarge", p95_latency_ms=90), types=types)

    factors = {name: one.service_time_ms / before[name].service_time_ms for name, one in found.items()}
    assert factors["ml.m9.xlarge"] == pytest.approx(factors["ml.c9.xlarge"])
    shared = factors["ml.c9.xlarge"] ** SHARED_PART
    for name in ("ml.c10.xlarge", "ml.c9.large", "ml.c9g.xlarge"):
        assert factors[name] == pytest.approx(shared)
