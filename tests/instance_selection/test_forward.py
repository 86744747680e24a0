"""One forward pass: with round coefficients it can be worked out on paper, and more hardware is never slower."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sizewell.instance_selection import Precision
from sizewell.instance_selection.catalog import InstanceType, load_catalog
from sizewell.instance_selection.estimation.coefficients import coefficients
from sizewell.instance_selection.estimation.forward import forward_seconds
from sizewell.instance_selection.estimation.machines import machines_of
from sizewell.instance_selection.estimation.roofline import smooth_max, tile_seconds
from sizewell.instance_selection.estimation.work import Work, forward_work
from sizewell.instance_selection.labels import serving_labels
from sizewell.instance_selection.requirements import Engine
from tests.instance_selection.builders import (
    BERT_BASE,
    CPU,
    GPU,
    NEURON,
    RESNET_50,
    ROUND_CNN,
    cpu_instance,
    gpu_instance,
    machines,
    neuron_instance,
)
from tests.instance_selection.known_coefficients import known

laws = settings(derandomize=True, max_examples=60)
#: Products of hardly a row, which no tile bounds.
WORK = replace(forward_work(ROUND_CNN), rows=1e-9)


def seconds(
    instance_type: InstanceType, work: Work = WORK, batch: float = 1.0, **coefficients: float
) -> float:
    found = forward_seconds(
        work, machines(instance_type), known("forward", **coefficients), weight_bytes=2.0, batch=batch
    )
    return float(found[0])


def calibrated_s(instance_type: InstanceType, batch: float = 1.0, engine: Engine = Engine.EAGER) -> float:
    """Return the seconds of ResNet-50 with the coefficients that ship."""
    columns = machines(instance_type)
    k = coefficients("forward").values(serving_labels(columns, RESNET_50, engine), 1)
    return float(forward_seconds(forward_work(RESNET_50), columns, k, weight_bytes=2.0, batch=batch)[0])


def with_chip(factor: float, *fields: str) -> InstanceType:
    """Return a GPU that is so many times better at something."""
    return gpu_instance(accelerator=replace(GPU, **{name: getattr(GPU, name) * factor for name in fields}))


@pytest.mark.parametrize(("a", "b"), [(1.0, 1.0), (3.0, 0.1), (0.0, 2.0), (5.0, 0.0)])
def test_two_overlapping_times_take_the_longer_one_and_somewhat_more(a: float, b: float) -> None:
    assert max(a, b) - 1e-12 <= float(smooth_max(a, b)) <= max(a, b) * 2 ** (1 / 3) + 1e-12


def test_operations_over_half_of_the_peak() -> None:
    # 10^10 at 5 x 10^12 per second.
    assert seconds(gpu_instance()) == pytest.approx(2e-3, rel=1e-6)


def test_a_neuron_core_loads_weights_and_computes_one_after_the_other() -> None:
    heavy = replace(WORK, weights=1e9)
    chip = neuron_instance(accelerator=replace(NEURON, cores=1))

    # 2 x 10^9 bytes at 80 % of 1,000 GB/s take 2.5 ms, the ten blocks of a graph 3 us each.
    assert seconds(chip, heavy) == pytest.approx(2e-3 + 2.5e-3 + 30e-6, rel=1e-3)
    assert seconds(gpu_instance(), heavy) == pytest.approx((2**3 + 2.5**3) ** (1 / 3) * 1e-3)


def test_every_layer_costs_its_kernels_and_every_call_a_copy() -> None:
    base = seconds(gpu_instance())

    # Ten layers.
    assert seconds(gpu_instance(), kernel_us=30.0) - base == pytest.approx(300e-6, rel=1e-3)
    assert seconds(gpu_instance(), call_us=80.0) - base == pytest.approx(80e-6, rel=1e-3)


def test_an_image_is_copied_to_its_device_by_its_bytes() -> None:
    base = seconds(gpu_instance())
    image = replace(WORK, input_bytes=600e3)

    # 75 us over half of the link to the host, and two of them twice as long.
    assert seconds(gpu_instance(), image, copy=1.0) - base == pytest.approx(75e-6, rel=1e-3)
    assert seconds(gpu_instance(), image, copy=2.0) - base == pytest.approx(150e-6, rel=1e-3)


def test_a_compiled_graph_of_neuron_has_no_launches_and_keeps_most_activations_beside_its_engines() -> None:
    chip = neuron_instance(accelerator=replace(NEURON, cores=1))
    many = replace(WORK, activations=1e9)

    assert seconds(chip, launch_us=1e6, kernel_us=1e6) == seconds(chip)
    # A tenth of 2 x 10^9 bytes at 80 % of 1,000 GB/s, whatever is fitted for GPUs.
    assert seconds(chip, many, traffic=5.0) - seconds(chip) == pytest.approx(0.25e-3, rel=2e-3)


def test_a_cpu_reads_what_it_is_about_to_write() -> None:
    many = replace(WORK, activations=1e6)

    moved = seconds(cpu_instance(), many, traffic=1.0) - seconds(cpu_instance(), many)
    # 4 x 10^6 bytes twice, at 80 % of 40 GB/s.
    assert moved == pytest.approx(8e6 / (0.8 * 40e9), rel=1e-3)


@pytest.mark.parametrize(("width", "value_bytes"), [(0.0, 1.5), (768.0, 4.0)])
def test_a_cpu_keeps_activations_of_a_transformer_in_single_precision_beside_int8_products(
    width: float, value_bytes: float
) -> None:
    columns = machines(cpu_instance(cpu=replace(CPU, peak_int8_gops_per_vcpu=400)), precision=Precision.INT8)
    work = replace(WORK, width=width)

    less, more = (
        float(forward_seconds(some, columns, known("forward", traffic=1.0), weight_bytes=1.0)[0])
        for some in (replace(work, activations=1e6), replace(work, activations=2e6))
    )
    assert more - less == pytest.approx(2 * value_bytes * 1e6 / (0.8 * 40e9), rel=1e-3)


def test_the_host_that_launches_kernels_is_a_floor_that_no_chip_gets_below() -> None:
    fast = with_chip(1000, "fp16_dense_tflops", "bf16_dense_tflops", "memory_bandwidth_gb_s")

    # 10 layers x 1,000 us.
    assert seconds(fast, launch_us=1000.0) == pytest.approx(10e-3, rel=1e-3)
    assert seconds(fast, launch_us=0.0) < 1e-4


def test_a_small_product_takes_as_long_as_one_tile() -> None:
    small = tile_seconds(128.0, 1.0, machines(gpu_instance()).tile_flops)
    large = tile_seconds(1024.0, 1.0, machines(gpu_instance()).tile_flops)

    assert large == pytest.approx(8 * small)
    # Convolutions state no width.
    assert tile_seconds(0.0, 1.0, machines(gpu_instance()).tile_flops) == small


def test_a_block_of_small_products_takes_a_part_of_the_time_of_their_tiles() -> None:
    tall = replace(WORK, rows=128.0)

    tile = float(tile_seconds(0.0, 128.0, machines(gpu_instance()).tile_flops)[0])
    # Ten layers, and 15 % of a tile for each.
    assert seconds(gpu_instance(), tall) - seconds(gpu_instance()) == pytest.approx(1.5 * tile, rel=1e-3)


def test_a_repeated_pass_takes_so_many_times_as_long() -> None:
    assert seconds(gpu_instance(), replace(WORK, passes=20.0)) == pytest.approx(20 * seconds(gpu_instance()))


@laws
@given(st.floats(1, 512), st.floats(1, 512), st.booleans())
def test_a_larger_batch_takes_longer_but_never_longer_than_one_after_the_other(
    one: float, other: float, on_gpu: bool
) -> None:
    small, large = sorted((one, other))
    machine = gpu_instance() if on_gpu else cpu_instance()

    assert calibrated_s(machine, small) <= calibrated_s(machine, large)
    # Activations of a large batch leave the cache, so that the time of a batch may grow by more than its size.
    assert calibrated_s(machine, large) <= large / small * calibrated_s(machine, small) * 3


@laws
@given(
    st.floats(1, 100),
    st.sampled_from(["fp16_dense_tflops", "memory_bandwidth_gb_s", "fp32_tflops"]),
    st.floats(1, 64),
    st.sampled_from(list(Engine)),
)
def test_a_faster_chip_is_never_slower(factor: float, field: str, batch: float, engine: Engine) -> None:
    fields = ("fp16_dense_tflops", "bf16_dense_tflops") if field == "fp16_dense_tflops" else (field,)

    assert calibrated_s(with_chip(factor, *fields), batch, engine) <= calibrated_s(
        gpu_instance(), batch, engine
    ) * (1 + 1e-9)


@pytest.mark.parametrize("model", [BERT_BASE, RESNET_50], ids=["encoder", "cnn"])
def test_an_eager_framework_is_slower_than_a_runtime_built_for_the_model(model: object) -> None:
    eager, optimized = (
        calibrated_s(gpu_instance(), engine=engine) for engine in (Engine.EAGER, Engine.OPTIMIZED_RUNTIME)
    )

    assert optimized < eager


def test_values_of_single_precision_move_twice_the_bytes() -> None:
    many = replace(WORK, activations=1e9)
    half, single = (
        forward_seconds(
            many,
            machines(gpu_instance(), precision=precision),
            known("forward", traffic=1.0),
            weight_bytes=2.0,
        )
        for precision in (Precision.BF16, Precision.FP32)
    )

    # Activations alone: 10^9 x 2 or 4 bytes at 80 % of 1,000 GB/s; fp32 arithmetic takes twice as long, too.
    assert float(half[0]) == pytest.approx(2.5e-3 + 2e-3, rel=1e-3)
    assert float(single[0]) == pytest.approx(5e-3 + 4e-3, rel=1e-3)


@pytest.mark.parametrize("engine", [Engine.EAGER, Engine.COMPILED, Engine.OPTIMIZED_RUNTIME])
@pytest.mark.parametrize("arithmetic", ["fp32", "tf32", "half", "int8"])
def test_nothing_computes_above_the_peak_of_its_units(arithmetic: str, engine: Engine) -> None:
    columns = machines_of(load_catalog("us-east-1").instance_types, arithmetic)
    k = coefficients("forward").values(serving_labels(columns, RESNET_50, engine), len(columns))
    work, batch = forward_work(RESNET_50), 1e4
    found = forward_seconds(work, columns, k, weight_bytes=2.0, batch=batch)

    least = batch * float(work.flops) / (columns.tile_flops * columns.cores)
    assert [name for name, s, t in zip(columns.names, found, least, strict=True) if s < t * (1 - 1e-9)] == []
