"""Processors as a roofline sees them: peak arithmetic, bandwidth, memory and links, as columns over many types."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sizewell.instance_selection.catalog import InstanceType
from sizewell.instance_selection.estimation.coefficients import Array
from sizewell.instance_selection.estimation.hardware import (
    GIB,
    USABLE_ACCELERATOR_SHARE,
    USABLE_HOST_SHARE,
    hardware_kind,
)
from sizewell.instance_selection.requirements import Architecture, HardwareKind, Precision

#: One request at batch 1 does not keep more vCPUs busy than this; larger instances run several workers.
MAX_VCPUS_PER_WORKER = 16
#: Bandwidth of a vCPU where no source states it: the least of all families whose memory is known (Cascade Lake).
ASSUMED_GB_S_PER_VCPU = 2.6
#: What a chip sustains per watt of its power limit in half precision, 10^12 operations per second: dense matrix
#: products of 12 nm (T4), 7-8 nm (A10, A100) and 4-5 nm (L4, H100) parts, by the year in which the part appeared.
TERA_PER_WATT = ((2020, 0.42), (2022, 0.75), (9999, 1.1))
#: The same for other arithmetic, relative to half precision: fp32 does not use the matrix units.
WATT_RATIO = {"half": 1.0, "int8": 2.0, "fp8": 2.0, "tf32": 0.5, "fp32": 0.16}


#: Last cache of GPUs, MiB, by the beginning of their names (NVIDIA architecture whitepapers); the longest one counts.
CACHE_MIB = {
    "V100": 6, "T4": 4, "Titan V": 4.5, "Titan RTX": 6, "RTX 20": 5.5, "Quadro": 6, "P100": 4, "A2": 2, "A10": 6, "A16": 2,
    "A30": 24, "A40": 6, "A100": 40, "A800": 40, "RTX 30": 5, "RTX A": 6, "L4": 48, "L20": 96, "L40": 96, "RTX 40": 64,
    "RTX 6000 Ada": 96, "H": 50, "GH": 50, "B": 126, "GB": 126, "RTX PRO 6000": 128, "RTX 50": 80,
}  # fmt: skip


def silicon_of(chip: str) -> str:
    """Return the name of a chip without the memory of its variant: what is said of one holds for all."""
    return re.sub(r" \d+GB", "", chip)


def cache_bytes_of(chip: str) -> float:
    """Return the last cache of a GPU, 0 where none is known."""
    named = max((name for name in CACHE_MIB if chip.startswith(name)), key=len, default="")
    return CACHE_MIB.get(named, 0.0) * 2**20


def sustained_flops(
    peak_flops: float, tdp_watts: float | None, launch_year: float | None, arithmetic: str
) -> float:
    """Return the arithmetic rate that the power limit allows: a small card cannot run its units at full clock."""
    if not tdp_watts or not launch_year:
        return peak_flops
    per_watt = next(rate for year, rate in TERA_PER_WATT if launch_year < year)
    limit = tdp_watts * per_watt * 1e12 * WATT_RATIO[arithmetic]
    return float((peak_flops**-6 + limit**-6) ** (-1 / 6))


def arithmetic_of(precision: Precision, architecture: Architecture) -> str:
    """Return the unit that computes: weights of four bits, and int8 ones of models that generate, are expanded first."""
    if precision in (Precision.FP16, Precision.BF16, Precision.INT4):
        return "half"
    if precision is Precision.INT8 and architecture.generates:
        return "half"
    return precision.value


@dataclass(frozen=True, eq=False, kw_only=True)
class Machines:
    """Columns over processors, one entry each; compared by identity, so that results can be cached by it.

    A processor is one accelerator, one NeuronCore group that serves a request, or the share of a CPU that one worker
    has; at most ``count`` of them work in an instance. ``memory_bytes`` is that of one accelerator, or of the whole
    host. ``tile_flops`` is the rate of one multiprocessor or core.
    ``reasons`` says why a processor cannot be described, and is empty where it can.
    """

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    chips: tuple[str, ...]
    arithmetic: tuple[str, ...]
    links: tuple[str, ...]
    flops: Array
    tile_flops: Array
    bandwidth: Array
    link_bandwidth: Array
    memory_bytes: Array
    count: Array
    value_bytes: Array
    """Bytes of one activation."""
    cache_bytes: Array
    reasons: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.names)


@dataclass(frozen=True, slots=True)
class _Processor:
    kind: str
    chip: str
    arithmetic: str
    flops: float
    tile_flops: float
    bandwidth: float
    memory_bytes: float
    count: int
    link: str = "none"
    link_bandwidth: float = 1.0


def machines_of(
    instance_types: Sequence[InstanceType], arithmetic: str, *, bf16: bool = True, whole_cpu: bool = False
) -> Machines:
    """Describe instance types at an arithmetic: ``fp32``, ``tf32``, ``half``, ``fp8`` or ``int8``.

    The matrix units of CPUs compute in ``bf16`` but not in fp16: without it, half precision is fp32 there. A CPU is
    one machine with ``whole_cpu``, for training; else one for each worker that answers requests.
    """
    max_vcpus = math.inf if whole_cpu else MAX_VCPUS_PER_WORKER
    found = [_describe(t, arithmetic, bf16, max_vcpus) for t in instance_types]
    blank = _Processor("none", "none", "half", 1.0, 1.0, 1.0, 0.0, 1)
    ps = [p if isinstance(p, _Processor) else blank for p in found]
    return Machines(
        names=tuple(t.name for t in instance_types),
        kinds=tuple(p.kind for p in ps),
        chips=tuple(silicon_of(p.chip) for p in ps),
        arithmetic=tuple(p.arithmetic for p in ps),
        links=tuple(p.link for p in ps),
        flops=np.array([p.flops for p in ps]),
        tile_flops=np.array([p.tile_flops for p in ps]),
        bandwidth=np.array([p.bandwidth for p in ps]),
        link_bandwidth=np.array([p.link_bandwidth for p in ps]),
        memory_bytes=np.array([p.memory_bytes for p in ps]),
        count=np.array([float(p.count) for p in ps]),
        value_bytes=np.array([value_bytes(p.arithmetic, p.kind) for p in ps]),
        cache_bytes=np.array([cache_bytes_of(p.chip) if p.kind == "cuda" else 0.0 for p in ps]),
        reasons=tuple(p if isinstance(p, str) else "" for p in found),
    )


def value_bytes(arithmetic: str, kind: str) -> float:
    """Return the bytes of one activation; CPU kernels keep a part of an int8 network in wider values."""
    if arithmetic == "int8":
        return 1.5 if kind == "cpu" else 1.0
    return 4.0 if arithmetic in ("fp32", "tf32") else 2.0


def _describe(instance_type: InstanceType, arithmetic: str, bf16: bool, max_vcpus: float) -> _Processor | str:
    kind = hardware_kind(instance_type)
    if kind is None:
        name = instance_type.accelerator.name if instance_type.accelerator else "its accelerator"
        return f"{name} is neither CUDA nor Neuron"
    if kind in (HardwareKind.CUDA, HardwareKind.NEURON):
        return _accelerator(instance_type, kind, arithmetic)
    return _cpu(instance_type, arithmetic, bf16, max_vcpus)


def _accelerator(instance_type: InstanceType, kind: HardwareKind, arithmetic: str) -> _Processor | str:
    chip = instance_type.accelerator
    if chip is None:
        return "nothing is known about its accelerator"
    half = chip.fp16_dense_tflops or chip.bf16_dense_tflops
    tera, used = (
        {
            "fp32": chip.fp32_tflops,
            "tf32": chip.tf32_tflops,
            "half": half,
            "fp8": chip.fp8_dense_tflops,
            "int8": chip.int8_dense_tops,
        }[arithmetic],
        arithmetic,
    )
    if kind is HardwareKind.NEURON and arithmetic in ("fp32", "tf32", "int8"):
        # The Neuron compiler casts fp32 matrix products to bf16 unless told not to (--auto-cast).
        tera, used = half, "half"
    if arithmetic == "tf32" and tera is None:
        tera, used = chip.fp32_tflops, "fp32"
    if tera is None:
        name = "half-precision" if arithmetic == "half" else arithmetic
        return f"{chip.name} has no {name} arithmetic, or its rate is not published"
    if chip.memory_bandwidth_gb_s is None:
        return f"the memory bandwidth of {chip.name} is not published"
    flops = sustained_flops(tera * 1e12, chip.tdp_watts, chip.launch_year, used)
    # Each NeuronCore runs a graph of its own, with its share of the chip.
    parts = int(chip.cores or 2) if kind is HardwareKind.NEURON else 1
    memory_gib = (instance_type.accelerator_memory_gib or 0) / parts
    return _Processor(
        kind=kind.value,
        chip=chip.name,
        arithmetic=used,
        flops=flops / parts,
        tile_flops=tera * 1e12 / (chip.cores or 80),
        bandwidth=chip.memory_bandwidth_gb_s * 1e9 / parts,
        memory_bytes=memory_gib * GIB * USABLE_ACCELERATOR_SHARE,
        count=instance_type.accelerator_count * parts,
        link=chip.interconnect or "pcie",
        link_bandwidth=(chip.interconnect_gb_s or 16.0) * 1e9,
    )


def _cpu(instance_type: InstanceType, arithmetic: str, bf16: bool, max_vcpus: float) -> _Processor | str:
    cpu = instance_type.cpu
    if cpu is None or cpu.peak_fp32_gflops_per_vcpu is None:
        return f"the arithmetic rate of the CPU of {instance_type.family} is not known"
    # Half precision falls back to fp32 where the CPU has no matrix unit for it; fp8 and int8 do not.
    used, gflops = "fp32", cpu.peak_fp32_gflops_per_vcpu
    if arithmetic == "half" and bf16 and cpu.peak_bf16_gflops_per_vcpu:
        used, gflops = "half", cpu.peak_bf16_gflops_per_vcpu
    elif arithmetic in ("int8", "fp8"):
        if arithmetic == "fp8" or not cpu.peak_int8_gops_per_vcpu:
            return (
                f"the CPU of {instance_type.family} has no {arithmetic} arithmetic, or its rate is not known"
            )
        used, gflops = "int8", cpu.peak_int8_gops_per_vcpu
    vcpus = min(instance_type.vcpus, max_vcpus)
    workers = max(1, int(instance_type.vcpus // max_vcpus))
    return _Processor(
        kind="cpu",
        chip="none",
        arithmetic=used,
        flops=gflops * 1e9 * vcpus,
        tile_flops=gflops * 1e9,
        bandwidth=(cpu.memory_bandwidth_gb_s_per_vcpu or ASSUMED_GB_S_PER_VCPU) * 1e9 * vcpus,
        memory_bytes=instance_type.memory_gib * GIB * USABLE_HOST_SHARE,
        count=workers,
        # Workers of one host exchange through its memory.
        link_bandwidth=(cpu.memory_bandwidth_gb_s_per_vcpu or ASSUMED_GB_S_PER_VCPU) * 1e9 * vcpus,
    )
