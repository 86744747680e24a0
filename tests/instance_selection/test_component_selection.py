"""Fleets of inference components: which share of an instance a copy has, and where the copies lie."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizewell.instance_selection import (
    ComponentRequirements,
    EndpointRequirements,
    FleetEstimate,
    FleetRequirements,
    NoFeasibleInstanceError,
    Selection,
    select_component_fleet,
)
from sizewell.instance_selection.catalog import InstanceType
from sizewell.instance_selection.component_placement import place_copies
from tests.instance_selection.builders import catalog, cpu_instance, decoder_endpoint, endpoint, gpu_instance

FOUR_GPUS = gpu_instance("ml.g9.12xlarge", accelerator_count=4, vcpus=48, memory_gib=256.0)
#: Each component with what a copy reserves, the number of its copies, and how many of them lie apart.
FLEETS = st.dictionaries(
    st.sampled_from("abcdef"),
    st.tuples(st.integers(1, 8), st.integers(0, 9), st.integers(0, 3)),
    min_size=1,
)


def fleet(
    *types: InstanceType, components: dict[str, EndpointRequirements], **changes: Any
) -> Selection[FleetEstimate]:
    needs = FleetRequirements(
        components=tuple(ComponentRequirements(name=name, serving=one) for name, one in components.items()),
        min_instances=1,
        max_instances=10,
    )
    prices = {one.name: 1.0 + n for n, one in enumerate(types)}
    return select_component_fleet(replace(needs, **changes), catalog(*types, usd_per_hour=prices))


@given(FLEETS)
def test_every_copy_has_a_place_and_no_instance_is_too_full(
    copies: dict[str, tuple[int, int, int]],
) -> None:
    shares = {name: share for name, (share, _, _) in copies.items()}
    counts = {name: count for name, (_, count, _) in copies.items()}
    apart = {name: min(count, least) for name, (_, count, least) in copies.items()}
    placed = place_copies(counts, shares=shares, apart=apart, shares_per_instance=8)
    assert {name: sum(one.get(name, 0) for one in placed) for name in copies} == counts
    for one in placed:
        assert 0 < sum(shares[name] * count for name, count in one.items()) <= 8
    for name, least in apart.items():
        assert sum(name in one for one in placed) >= least
    reserved = sum(shares[name] * count for name, count in counts.items())
    # First fit leaves no two instances half empty.
    if not any(apart.values()):
        assert len(placed) <= max(1, 2 * reserved / 8 + 1)


def test_large_copies_come_first_and_small_ones_fill_the_rest() -> None:
    counts, shares = {"small": 3, "large": 2}, {"small": 1, "large": 3}
    placed = place_copies(counts, shares=shares, apart={"small": 0, "large": 0}, shares_per_instance=4)
    assert placed == ({"large": 1, "small": 1}, {"large": 1, "small": 1}, {"small": 1})


def test_copies_that_lie_apart_need_an_instance_each() -> None:
    placed = place_copies({"a": 3}, shares={"a": 1}, apart={"a": 2}, shares_per_instance=4)
    assert placed == ({"a": 2}, {"a": 1})


def test_two_models_share_the_accelerators_of_one_instance() -> None:
    estimate = fleet(
        FOUR_GPUS, components={"llm": decoder_endpoint(max_p95_latency_ms=20_000), "cnn": endpoint()}
    ).chosen.estimate
    llm, cnn = estimate.components["llm"], estimate.components["cnn"]
    assert (llm.accelerator_count, cnn.accelerator_count, estimate.shares_per_instance) == (1, 1, 4)
    # The weights pass through the host: those of the small model need less than what any container takes.
    assert cnn.memory_mib == 1024
    assert llm.memory_mib == int(decoder_endpoint().model.parameters * 2 / 2**20)
    assert estimate.placement == ({"cnn": 1, "llm": 1},)
    assert (estimate.instances_at_peak, estimate.utilization) == (1, 0.5)


def test_a_copy_does_on_its_share_what_an_instance_of_that_size_does() -> None:
    whole = fleet(gpu_instance(), components={"cnn": endpoint()}).chosen.estimate
    part = fleet(FOUR_GPUS, components={"cnn": endpoint()}).chosen.estimate
    assert part.components["cnn"].serving.service_time_ms == whole.components["cnn"].serving.service_time_ms
    assert (
        part.components["cnn"].serving.capacity_requests_per_second
        == whole.components["cnn"].serving.capacity_requests_per_second
    )


def test_a_copy_without_accelerators_reserves_cores_and_the_memory_of_its_workers() -> None:
    copy = fleet(cpu_instance(vcpus=8), components={"cnn": endpoint()}).chosen.estimate.components["cnn"]
    assert copy.accelerator_count == 0
    assert copy.cpu_cores == pytest.approx(copy.share * 0.85)
    needed_gib = copy.serving.memory.needed_gib * copy.serving.replicas_per_instance
    assert copy.memory_mib == int(max(1.0, needed_gib) * 1024)


def test_a_copy_reserves_no_more_than_its_share_of_the_host() -> None:
    # What a model needs with a large margin may be more than a share of the instance leaves.
    part = replace(cpu_instance(vcpus=8), memory_gib=4.0)
    copy = fleet(part, components={"cnn": endpoint(margin=0.5)}).chosen.estimate.components["cnn"]
    assert copy.memory_mib <= int(copy.share / 8 * 4.0 * 0.85 * 1024)


def test_more_load_takes_more_copies_and_costs_more() -> None:
    one = fleet(FOUR_GPUS, components={"cnn": endpoint()}).chosen
    many = fleet(
        FOUR_GPUS,
        components={"cnn": endpoint(peak_requests_per_second=4000, average_requests_per_second=3000)},
        max_instances=100,
    ).chosen
    assert (
        many.estimate.components["cnn"].copies_at_peak > many.estimate.components["cnn"].copies_at_average > 1
    )
    assert many.cost.usd_per_month == pytest.approx(730 * many.estimate.instances_at_average)
    assert (many.cost.usd_per_month or 0) > (one.cost.usd_per_month or 0)


def reason(
    *types: InstanceType, components: dict[str, EndpointRequirements], **changes: Any
) -> tuple[str, str]:
    with pytest.raises(NoFeasibleInstanceError) as raised:
        fleet(*types, components=components, **changes)
    (found,) = raised.value.rejected
    return found.filter, found.reason


def test_the_component_that_does_not_fit_is_named() -> None:
    large = replace(decoder_endpoint().model, parameters=100e9)
    both = {"cnn": endpoint(), "llm": decoder_endpoint(model=large)}
    found = reason(FOUR_GPUS, components=both)
    assert found[0] == "memory"
    assert found[1].startswith("component llm: needs ")
    assert reason(gpu_instance(), components={"slow": endpoint(max_p95_latency_ms=1)})[1].startswith(
        "component slow: p95 of "
    )


def test_copies_and_instances_have_a_most_of_their_own() -> None:
    busy = endpoint(peak_requests_per_second=4000, average_requests_per_second=1)
    few = reason(FOUR_GPUS, components={"cnn": replace(busy, max_instances=2)})
    assert few[0] == "throughput"
    assert few[1].startswith("component cnn: ")
    assert few[1].endswith(" copies carry the peak, at most 2 are allowed")
    assert reason(FOUR_GPUS, components={"cnn": replace(busy, max_instances=1000)}, max_instances=1)[
        1
    ].endswith(" instances hold the copies at peak load, at most 1 are allowed")
    assert reason(FOUR_GPUS, components={"cnn": endpoint()}, max_usd_per_month=1.0)[0] == "budget"


def test_what_is_predicted_is_that_of_the_tightest_component() -> None:
    components = {"loose": endpoint(max_p95_latency_ms=60_000), "tight": endpoint(max_p95_latency_ms=10)}
    estimate = fleet(FOUR_GPUS, components=components).chosen.estimate
    assert estimate.tightest == "tight"
    assert estimate.p95_latency_ms == estimate.components["tight"].serving.p95_latency_ms
