import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sizewell.instance_selection import Architecture, Catalog, Precision, load_catalog
from sizewell.instance_selection.catalog import InstanceType
from sizewell.instance_selection.estimation.hardware import GIB
from sizewell.instance_selection.estimation.machines import (
    MAX_VCPUS_PER_WORKER,
    arithmetic_of,
    machines_of,
    value_bytes,
)
from sizewell.instance_selection.estimation.processors import TYPICAL_CLOCK_GHZ, processor_of, sustained_flops
from tests.instance_selection.builders import (
    CPU,
    GPU,
    NEURON,
    cpu_instance,
    gpu_instance,
    machines,
    neuron_instance,
)

laws = settings(derandomize=True, max_examples=100)
AMX = replace(CPU, peak_bf16_gflops_per_vcpu=800, peak_int8_gops_per_vcpu=1600)


def with_chip(**changes: Any) -> InstanceType:
    return gpu_instance(accelerator=replace(GPU, **changes))


@laws
@given(st.floats(1e12, 1e15), st.floats(50, 1200), st.integers(2014, 2030))
def test_a_power_limit_never_makes_a_card_faster(peak: float, watts: float, year: int) -> None:
    found = sustained_flops(peak, watts, year, "half")

    assert 0 < found <= peak
    assert found <= sustained_flops(peak, 2 * watts, year, "half")
    assert found <= sustained_flops(2 * peak, watts, year, "half")


def test_a_small_card_is_held_back_by_its_power_and_a_large_one_by_its_units() -> None:
    # T4: 65 TFLOPS at 70 W of 0.42 each sustain 29; H100: 989 at 700 W of 1.1 each sustain 770.
    assert sustained_flops(65e12, 70, 2018, "half") == pytest.approx(29e12, rel=0.03)
    assert sustained_flops(989e12, 700, 2022, "half") == pytest.approx(750e12, rel=0.05)
    assert sustained_flops(8.1e12, 70, 2018, "fp32") < 8.1e12


@pytest.mark.parametrize(("watts", "year"), [(None, 2020), (70, None), (0, 2020)])
def test_without_a_known_power_limit_the_peak_counts(watts: float | None, year: float | None) -> None:
    assert sustained_flops(65e12, watts, year, "half") == 65e12


@pytest.mark.parametrize(
    ("precision", "architecture", "arithmetic"),
    [
        (Precision.FP32, Architecture.CNN, "fp32"),
        (Precision.TF32, Architecture.CNN, "tf32"),
        (Precision.FP16, Architecture.CNN, "half"),
        (Precision.BF16, Architecture.DECODER, "half"),
        (Precision.FP8, Architecture.DECODER, "fp8"),
        (Precision.INT8, Architecture.ENCODER, "int8"),
        # Weights alone are quantized: they are expanded before they are multiplied.
        (Precision.INT8, Architecture.DECODER, "half"),
        (Precision.INT8, Architecture.ENCODER_DECODER, "half"),
        (Precision.INT4, Architecture.DECODER, "half"),
        (Precision.INT4, Architecture.ENCODER, "half"),
    ],
)
def test_the_unit_that_computes_a_precision(
    precision: Precision, architecture: Architecture, arithmetic: str
) -> None:
    assert arithmetic_of(precision, architecture) == arithmetic


def test_fp16_on_a_cpu_is_fp32_even_with_a_bf16_unit() -> None:
    found = machines(cpu_instance(cpu=AMX), precision=Precision.FP16)

    assert (found.arithmetic, found.flops.tolist()) == (("fp32",), [400e9])


def test_bf16_on_a_cpu_uses_the_matrix_unit_where_there_is_one() -> None:
    without, with_amx = cpu_instance("ml.a9.xlarge"), cpu_instance("ml.b9.xlarge", cpu=AMX)

    found = machines(without, with_amx, precision=Precision.BF16)

    assert found.arithmetic == ("fp32", "half")
    assert found.flops.tolist() == [400e9, 3200e9]


def test_int8_on_a_cpu_needs_a_known_rate_and_fp8_does_not_exist_there() -> None:
    plain, amx = cpu_instance(), cpu_instance(cpu=AMX)

    assert (
        machines(plain, precision=Precision.INT8)
        .reasons[0]
        .startswith("the CPU of c9 has no int8 arithmetic")
    )
    assert machines(amx, precision=Precision.INT8).flops.tolist() == [6400e9]
    assert machines(amx, precision=Precision.FP8).reasons[0].startswith("the CPU of c9 has no fp8 arithmetic")


def test_an_instance_has_its_share_of_the_bandwidth_of_a_host_whose_other_cores_are_busy() -> None:
    # 10 GB/s per vCPU.
    for vcpus in (4, 16, 32):
        found = machines_of([cpu_instance(vcpus=vcpus)], "fp32", whole_cpu=True)
        assert found.bandwidth == pytest.approx([10e9 * vcpus])


def test_few_busy_cores_of_a_host_read_more_than_their_share_and_are_clocked_higher() -> None:
    slow = replace(CPU, threads_per_core=1, memory_bandwidth_gb_s_per_vcpu=5.0)
    alone, few, all_of_them = (
        processor_of(slow, "fp32", memory_gib=64, cores=cores, host_cores=32) for cores in (1, 8, 32)
    )

    # 13 GB/s of a core, until the whole host has no more than 160.
    assert [one.bandwidth for one in (alone, few, all_of_them)] == pytest.approx([13e9, 104e9, 160e9])
    assert alone.flops > few.flops / 8 > all_of_them.flops / 32
    assert alone.core_ghz > few.core_ghz > all_of_them.core_ghz
    assert all_of_them == processor_of(slow, "fp32", memory_gib=64, cores=32)


def test_a_core_is_as_fast_as_its_clock_and_its_generation_make_it() -> None:
    new = replace(
        CPU, threads_per_core=2, sustained_clock_ghz=3.2, instructions_per_clock=1.4, vcpus_per_socket=96
    )

    found = machines_of([cpu_instance(cpu=new), cpu_instance(), gpu_instance()], "fp32")
    assert found.core_ghz == pytest.approx([3.2 * 1.4, TYPICAL_CLOCK_GHZ, 0.0])
    assert found.socket_cores.tolist() == [48, math.inf, math.inf]


@pytest.mark.parametrize("threads", [1, 2])
def test_cores_of_two_sockets_read_no_faster_than_one_socket(threads: int) -> None:
    cpu = replace(CPU, threads_per_core=threads, vcpus_per_socket=32)
    one, two = (
        processor_of(cpu, "fp32", memory_gib=64, cores=vcpus / threads, host_cores=64 / threads)
        for vcpus in (32, 64)
    )

    # 10 GB/s per vCPU.
    assert (one.bandwidth, two.bandwidth) == pytest.approx((320e9, 320e9))
    assert two.flops > 1.8 * one.flops


@pytest.mark.parametrize(("threads", "cores"), [(1, 8), (2, 4)])
def test_the_cores_of_a_worker_are_physical_and_its_peak_is_that_of_its_vcpus(
    threads: int, cores: int
) -> None:
    found = machines(cpu_instance(vcpus=8, cpu=replace(CPU, threads_per_core=threads)))
    assert (found.cores[0], found.flops[0]) == (cores, 800e9)
    assert found.tile_flops[0] == 800e9 / cores


def test_a_large_cpu_is_several_workers_for_requests_and_one_machine_for_training() -> None:
    large = cpu_instance(vcpus=64, memory_gib=128)

    serving = machines_of([large], "fp32")
    training = machines_of([large], "fp32", whole_cpu=True)

    assert MAX_VCPUS_PER_WORKER == 16
    assert (serving.count[0], serving.flops[0]) == (4, 16 * 100e9)
    assert (training.count[0], training.flops[0]) == (1, 64 * 100e9)
    # How many of the workers the host holds depends on the model.
    assert training.memory_bytes[0] == serving.memory_bytes[0] == pytest.approx(128 * GIB * 0.85)


def test_the_usable_part_of_a_card() -> None:
    assert machines(gpu_instance()).memory_bytes == pytest.approx([20 * GIB * 0.92])


def test_each_neuron_core_is_a_device_with_its_share_of_the_chip() -> None:
    chip = neuron_instance(accelerator=replace(NEURON, cores=4), accelerator_count=2)

    found = machines(chip)

    assert found.count.tolist() == [8]
    assert found.flops == pytest.approx([10e12 / 4])
    assert found.bandwidth == pytest.approx([1000e9 / 4])
    assert found.memory_bytes == pytest.approx([20 * GIB * 0.92 / 4])


def test_a_neuron_chip_of_unknown_cores_has_two() -> None:
    assert machines(neuron_instance()).count.tolist() == [2]


@pytest.mark.parametrize("precision", [Precision.FP32, Precision.TF32, Precision.INT8, Precision.BF16])
def test_neuron_computes_in_half_precision_what_has_no_unit_of_its_own(precision: Precision) -> None:
    found = machines(neuron_instance(), precision=precision)

    assert (found.arithmetic, found.reasons) == (("half",), ("",))


def test_tf32_is_fp32_on_a_card_without_it() -> None:
    found = machines(gpu_instance(), precision=Precision.TF32)

    assert (found.arithmetic, found.flops.tolist()) == (("fp32",), [5e12])
    assert machines(with_chip(tf32_tflops=8), precision=Precision.TF32).arithmetic == ("tf32",)


def test_half_precision_is_either_of_its_formats() -> None:
    for missing in ("fp16_dense_tflops", "bf16_dense_tflops"):
        assert machines(with_chip(**{missing: None})).flops.tolist() == [10e12]


@pytest.mark.parametrize(
    ("instance_type", "reason"),
    [
        (with_chip(kind="other"), "Round GPU is neither CUDA nor Neuron"),
        (gpu_instance(accelerator=None), "its accelerator is neither CUDA nor Neuron"),
        (
            with_chip(fp16_dense_tflops=None, bf16_dense_tflops=None),
            "Round GPU has no half-precision arithmetic, or its rate is not published",
        ),
        (with_chip(memory_bandwidth_gb_s=None), "the memory bandwidth of Round GPU is not published"),
        (cpu_instance(cpu=None), "the arithmetic rate of the CPU of c9 is not known"),
        (
            cpu_instance(cpu=replace(CPU, memory_bandwidth_gb_s_per_vcpu=None)),
            "the memory bandwidth of the CPU of c9 is not known",
        ),
    ],
)
def test_what_cannot_be_described_says_why_and_does_not_disturb_the_others(
    instance_type: InstanceType, reason: str
) -> None:
    found = machines(gpu_instance("ml.a9.xlarge"), instance_type)

    assert found.reasons == ("", reason)
    assert found.memory_bytes[1] == 0
    assert found.flops[0] == machines(gpu_instance()).flops[0]


def test_a_link_that_is_not_published_is_pcie() -> None:
    found = machines(with_chip(interconnect=None, interconnect_gb_s=None), gpu_instance("ml.z9.xlarge"))

    assert found.links == ("pcie", "nvswitch")
    assert found.link_bandwidth.tolist() == [16e9, 300e9]


def test_bytes_of_an_activation() -> None:
    assert [value_bytes(a, "cuda") for a in ("fp32", "tf32", "half", "fp8", "int8")] == [4, 4, 2, 2, 1]
    assert value_bytes("int8", "cpu") == 1.5


def test_a_pair_of_cores_of_trainium2_is_one_logical_core() -> None:
    # Neuron documentation, best practices: 64 ranks of 24 GiB in a trn2.48xlarge.
    found = machines(load_catalog("us-east-1").get("ml.trn2.48xlarge"))

    assert (found.count[0], found.cores[0]) == (64, 2)
    assert found.memory_bytes[0] == pytest.approx(24 * GIB * 0.92)
    assert found.flops[0] == pytest.approx(667e12 / 4)


def test_fp4_is_native_on_blackwell_only() -> None:
    native = with_chip(fp4_dense_tflops=40)

    assert machines_of([native], "fp4").flops.tolist() == [40e12]
    assert machines_of([gpu_instance()], "fp4").reasons[0].startswith("Round GPU has no fp4 arithmetic")


@pytest.mark.parametrize("precision", Precision)
def test_every_type_of_the_catalog_is_described_or_says_why_not(
    real_catalog: Catalog, precision: Precision
) -> None:
    found = machines(*real_catalog.instance_types, precision=precision)

    assert len(found) == len(real_catalog.instance_types)
    for column in (found.flops, found.tile_flops, found.bandwidth, found.link_bandwidth, found.count):
        assert (column > 0).all()
    described = [not reason for reason in found.reasons]
    if precision in (Precision.FP32, Precision.BF16):
        assert sum(described) > 0.8 * len(described)


@pytest.mark.parametrize("precision", [Precision.BF16, Precision.FP8])
def test_machines_are_their_processors_once_each(real_catalog: Catalog, precision: Precision) -> None:
    every = machines(*real_catalog.instance_types, precision=precision)

    processors, place = every.distinct

    assert len({*place.tolist()}) == len(processors) < len(every) / 2
    assert [processors.chips[i] for i in place] == list(every.chips)
    for name in ("flops", "bandwidth", "link_bandwidth", "memory_bytes", "cache_bytes"):
        assert getattr(processors, name)[place].tolist() == getattr(every, name).tolist()
