"""Each kind of model finds the kind of hardware that suits it, over the real catalog and calibrated estimates."""

from dataclasses import replace
from typing import Any

import pytest

from sizewell.instance_selection import (
    Architecture,
    Catalog,
    EndpointEstimate,
    EndpointRequirements,
    Engine,
    ModelSpec,
    NoFeasibleInstanceError,
    Precision,
    Selection,
    TrainingRequirements,
    select_endpoint_instance,
    select_training_instance,
)
from sizewell.instance_selection.catalog import Cpu
from sizewell.instance_selection.estimation.boosting import NODE_CYCLES, REFERENCE_GHZ
from sizewell.instance_selection.estimation.hardware import GIB, USABLE_HOST_SHARE
from sizewell.instance_selection.estimation.memory import CONTEXT_BYTES
from sizewell.instance_selection.requirements import START_UP_HOURS
from tests.instance_selection.builders import (
    CPU,
    DIFFUSION,
    RECOMMENDER,
    TREES,
    catalog,
    cpu_instance,
    decoder_endpoint,
    decoder_training,
    endpoint,
    endpoint_columns,
    gpu_instance,
    training,
)

LINEAR = replace(TREES, architecture=Architecture.LINEAR, parameters=1e4, framework="sklearn")


def select(needs: EndpointRequirements | TrainingRequirements, known: Catalog) -> Selection[Any]:
    if isinstance(needs, EndpointRequirements):
        return select_endpoint_instance(needs, known)
    return select_training_instance(needs, known)


def chosen_accelerators(found: Selection[Any], known: Catalog) -> int:
    return known.get(found.chosen.instance_type).accelerator_count


def test_rows_are_scored_by_the_cores_of_the_host_whatever_stands_beside_them() -> None:
    # Four vCPUs are two cores.
    columns = endpoint_columns(endpoint(model=TREES), cpu_instance(), gpu_instance())

    assert columns.layout.replicas.tolist() == [2, 2]
    assert columns.layout.alone.request[0] == columns.layout.alone.request[1]


def test_more_and_deeper_trees_take_longer_and_a_linear_model_has_none() -> None:
    def service_ms(model: ModelSpec) -> float:
        return float(endpoint_columns(endpoint(model=model), cpu_instance()).layout.alone.request[0]) * 1000

    node_ms = NODE_CYCLES / (REFERENCE_GHZ * 1e6)
    assert service_ms(TREES) - service_ms(LINEAR) == pytest.approx(500 * 8 * node_ms)
    assert service_ms(replace(TREES, trees=5000)) > service_ms(TREES)
    assert service_ms(LINEAR) == service_ms(replace(LINEAR, trees=5000))


def test_a_faster_core_scores_rows_sooner_and_what_stands_beside_a_gpu_is_taken_for_a_usual_one() -> None:
    fast = cpu_instance("ml.fast.xlarge", cpu=replace(CPU, sustained_clock_ghz=2 * REFERENCE_GHZ))
    columns = endpoint_columns(endpoint(model=TREES), cpu_instance(), fast, gpu_instance(cpu=fast.cpu))

    usual, quick, beside_a_gpu = columns.layout.alone.request
    assert usual - quick == pytest.approx(500 * 8 * NODE_CYCLES / (REFERENCE_GHZ * 1e9) / 2)
    assert beside_a_gpu == usual


@pytest.mark.parametrize("precision", Precision)
def test_no_precision_is_asked_of_what_compares_numbers(precision: Precision) -> None:
    needs = endpoint(model=replace(TREES, precision=precision))

    assert select_endpoint_instance(needs, catalog(cpu_instance())).rejected == ()


def test_a_host_of_which_nothing_is_known_serves_no_table() -> None:
    with pytest.raises(NoFeasibleInstanceError, match="the arithmetic rate of the CPU of c9 is not known"):
        select_endpoint_instance(endpoint(model=TREES), catalog(cpu_instance(cpu=None)))


def test_a_table_of_many_rows_must_fit_into_the_host() -> None:
    # 10^9 rows x 50 features x 4 bytes x 3 copies are 559 GiB.
    needs = training(model=TREES, units=1e9, deadline_hours=1e6)

    with pytest.raises(NoFeasibleInstanceError, match="memory: needs 559"):
        select_training_instance(needs, catalog(cpu_instance(memory_gib=256)))
    assert select_training_instance(needs, catalog(cpu_instance(memory_gib=768))).rejected == ()


def test_small_data_does_not_train_faster_on_more_cores() -> None:
    def hours(vcpus: int, rows: float) -> float:
        known = catalog(cpu_instance(vcpus=vcpus, memory_gib=64))
        found = select_training_instance(training(model=TREES, units=rows), known).chosen.estimate
        return found.duration_hours - START_UP_HOURS

    # More cores wait longer for one another, and some have nothing to do.
    assert hours(4, 1e3) < hours(64, 1e3)
    assert hours(4, 1e7) > 1.5 * hours(64, 1e7)


def test_trees_train_faster_on_newer_cores_and_on_those_of_one_socket() -> None:
    def hours(cpu: Cpu = CPU) -> float:
        known = catalog(cpu_instance(vcpus=64, cpu=cpu))
        found = select_training_instance(training(model=TREES, units=1e7), known).chosen.estimate
        return found.duration_hours - START_UP_HOURS

    assert hours(replace(CPU, instructions_per_clock=1.5)) < 0.9 * hours()
    assert hours(replace(CPU, sustained_clock_ghz=4.0)) < 0.9 * hours()
    assert hours(replace(CPU, vcpus_per_socket=16)) > 1.1 * hours()


def test_trees_are_not_spread_over_several_instances() -> None:
    known = catalog(cpu_instance(vcpus=4, efa_supported=True))
    found = select_training_instance(training(model=TREES, units=1e5, max_instances=4), known)

    assert found.chosen.estimate.instance_count == 1
    assert found.chosen.estimate.utilization == 0


def test_a_table_is_trained_in_what_the_system_leaves_of_the_host() -> None:
    small = cpu_instance("ml.small.xlarge", memory_gib=16.0)
    known = catalog(small, usd_per_hour={small.name: 0.1})
    found = select_training_instance(training(model=TREES, units=1e5), known)
    memory = found.chosen.estimate.memory
    assert memory.usable_gib == pytest.approx(16 * USABLE_HOST_SHARE)
    # More than that, and less than all 16.
    rows = 1e5 * (14.5 * GIB - CONTEXT_BYTES) / (memory.needed_gib * GIB - CONTEXT_BYTES)
    with pytest.raises(NoFeasibleInstanceError) as raised:
        select_training_instance(training(model=TREES, units=rows, deadline_hours=1e6), known)
    (rejected,) = raised.value.rejected
    assert rejected.filter == "memory"
    assert rejected.reason.endswith("GiB of host memory, which offers 13.6")
    assert any("keep up with the processors" in line for line in found.assumptions)


def test_pictures_are_drawn_on_an_accelerator(real_catalog: Catalog) -> None:
    needs = endpoint(
        model=DIFFUSION, engine=Engine.COMPILED, max_p95_latency_ms=20_000, peak_requests_per_second=0.2
    )

    found = select_endpoint_instance(needs, real_catalog)

    assert chosen_accelerators(found, real_catalog) > 0
    slow = {one.instance_type: one.filter for one in found.rejected}
    assert slow["ml.c5.large"] in ("latency", "memory")


def test_a_small_forecaster_is_served_by_processors(real_catalog: Catalog) -> None:
    forecaster = ModelSpec(
        architecture=Architecture.RNN,
        parameters=2e6,
        layers=2,
        hidden_size=350,
        time_steps=96,
        precision=Precision.FP32,
    )
    needs = endpoint(model=forecaster, max_p95_latency_ms=500, peak_requests_per_second=50)

    found = select_endpoint_instance(needs, real_catalog)

    # Two cells of 96 steps are far from the thousands of a clip of speech.
    assert chosen_accelerators(found, real_catalog) == 0
    assert found.chosen.estimate.service_time_ms < 100
    assert found.chosen.cost.usd_per_month is not None
    assert found.chosen.cost.usd_per_month < 500


def test_fewer_steps_and_no_guidance_are_faster() -> None:
    def service_s(**changes: Any) -> float:
        needs = endpoint(model=replace(DIFFUSION, **changes))
        return float(endpoint_columns(needs, gpu_instance()).layout.alone.request[0])

    assert service_s(denoising_steps=25) == pytest.approx(service_s() / 2)
    assert service_s() / 2 < service_s(guidance=False) < service_s()


def test_tables_of_a_recommender_need_host_memory_and_not_that_of_the_accelerator() -> None:
    # 10.1 x 10^9 weights in four bytes are 37.6 GiB: they fit a host of 64 GiB, and not a card of 20.
    needs = endpoint(model=RECOMMENDER, max_p95_latency_ms=100)

    fits = select_endpoint_instance(needs, catalog(gpu_instance())).chosen.estimate.memory
    assert fits.weights_gib == pytest.approx(0.1e9 * 4 / 2**30)
    with pytest.raises(NoFeasibleInstanceError, match=r"host-memory: 37\.6 GiB of weights"):
        select_endpoint_instance(needs, catalog(gpu_instance(memory_gib=32)))
    with pytest.raises(NoFeasibleInstanceError, match="memory: needs"):
        select_endpoint_instance(needs, catalog(cpu_instance(memory_gib=32)))


def test_users_and_arrivals_of_the_same_load_need_about_the_same() -> None:
    def estimate(**load: float | None) -> EndpointEstimate:
        known = catalog(gpu_instance())
        return select_endpoint_instance(endpoint(max_p95_latency_ms=500, **load), known).chosen.estimate

    by_rate = estimate(peak_requests_per_second=100)
    by_users = estimate(
        peak_requests_per_second=None, average_requests_per_second=None, peak_concurrent_users=5
    )

    assert by_users.service_time_ms == by_rate.service_time_ms
    # Users wait for each other: all of the time of a replica is used.
    assert by_users.capacity_requests_per_second > by_rate.capacity_requests_per_second


ABSURD: dict[str, EndpointRequirements | TrainingRequirements] = {
    "10^18 parameters": endpoint(model=replace(DIFFUSION, parameters=1e18)),
    "10^18 parameters of a decoder": decoder_endpoint(
        model=replace(decoder_endpoint().model, parameters=1e18, layers=0, hidden_size=0)
    ),
    "10^9 tokens": decoder_endpoint(input_tokens=10**9, output_tokens=10**9),
    "10^12 requests": endpoint(peak_requests_per_second=1e12),
    "10^9 users": decoder_endpoint(
        peak_requests_per_second=None, average_requests_per_second=None, peak_concurrent_users=1e9
    ),
    "a nanosecond": endpoint(max_p95_latency_ms=1e-6),
    "10^15 trees": endpoint(model=replace(TREES, trees=10**15)),
    "10^18 rows": training(model=TREES, units=1e18),
    "10^18 parameters to train": decoder_training(
        model=replace(decoder_training().model, parameters=1e18, layers=0, hidden_size=0)
    ),
    "10^24 tokens to train on": decoder_training(units=1e24),
}


@pytest.mark.parametrize("name", ABSURD)
def test_what_nothing_can_do_is_infeasible_and_no_accident(name: str, real_catalog: Catalog) -> None:
    with pytest.raises(NoFeasibleInstanceError) as raised:
        select(ABSURD[name], real_catalog)

    assert raised.value.considered == len(real_catalog.instance_types)


@pytest.mark.parametrize("architecture", Architecture)
def test_a_model_of_which_only_the_size_is_known_is_served_and_trained(
    architecture: Architecture, real_catalog: Catalog
) -> None:
    bare = ModelSpec(architecture=architecture, parameters=50e6, layers=0, precision=Precision.FP32)
    served = decoder_endpoint if architecture.generates else endpoint

    endpoints = served(model=bare, max_p95_latency_ms=600_000, input_tokens=128)
    jobs = decoder_training(model=bare, deadline_hours=1000, units=1e5)

    assert select_endpoint_instance(endpoints, real_catalog).chosen.estimate.service_time_ms > 0
    assert select_training_instance(jobs, real_catalog).chosen.estimate.duration_hours > 1 / 6
