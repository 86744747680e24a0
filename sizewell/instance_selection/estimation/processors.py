"""One processor as a roofline sees it: peak arithmetic, bandwidth, memory and links of what works on one request.

A processor is an accelerator, a logical NeuronCore with its share of the chip, or some cores of a CPU.
"""

import math
import re
from dataclasses import dataclass

from sizewell.instance_selection.catalog import Accelerator, Cpu
from sizewell.instance_selection.estimation.hardware import GIB, USABLE_ACCELERATOR_SHARE, USABLE_HOST_SHARE

#: What computes where a chip has no unit of a format, in this order: values are expanded first.
FALLBACKS = {
    "fp32": ("fp32", "half"),
    "tf32": ("tf32", "fp32", "half"),
    "half": ("half", "fp32"),
    "fp8": ("fp8", "half", "fp32"),
    "int8": ("int8", "half", "fp32"),
    "fp4": ("fp4", "half", "fp32"),
}
#: What a chip sustains per watt of its power limit in half precision, 10^12 operations per second: dense matrix
#: products of 12 nm (T4), 7-8 nm (A10, A100) and 4-5 nm (L4, H100) parts, by the year in which the part appeared.
TERA_PER_WATT = ((2020, 0.42), (2022, 0.75), (9999, 1.1))
#: The same for other arithmetic, relative to half precision: fp32 does not use the matrix units.
WATT_RATIO = {"half": 1.0, "int8": 2.0, "fp8": 2.0, "fp4": 4.0, "tf32": 0.5, "fp32": 0.16}
#: Physical NeuronCores of a logical one, by generation, where it is not one: applications see pairs by default
#: (Neuron documentation, Logical NeuronCore configuration: LNC=2 of Trn2 and Trn3).
CORES_PER_LOGICAL_CORE = {"NeuronCore-v3": 2, "NeuronCore-v4": 2}
#: Multiprocessors of a GPU that states none, and NeuronCores of a chip.
DEFAULT_CORES = {"cuda": 80, "neuron": 2}
#: Bandwidth to the other chips of an instance where none is published: PCIe 3.0 x16, GB/s.
DEFAULT_LINK_GB_S = 16.0
#: What one core may read where the other cores of its host are idle: it keeps so many reads in flight (single-core STREAM of Xeon
#: and EPYC servers: 10 to 15 GB/s), bytes per second. Cores that are all busy, as those of an instance, have their share each.
CORE_BANDWIDTH = 13e9
#: Chips of this year and later copy from memory to their multiprocessors while they compute (NVIDIA Ampere Tuning Guide,
#: "Asynchronous Data Copy from Global Memory to Shared Memory"), which kernels that expand weights are written for.
ASYNCHRONOUS_COPY_YEAR = 2020
#: By which power of all cores over the busy ones these are clocked higher: one of twenty runs at 3.7 GHz, all of them at 2.7
#: (turbo frequencies of a Xeon Gold 6138).
TURBO_EXPONENT = 0.1
#: Clock of a CPU of which none is known, GHz.
TYPICAL_CLOCK_GHZ = 3.0


class UnknownRateError(ValueError):
    """A figure of a chip that no estimate can do without is not known; the message says which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Processor:
    """Operations per second, bytes per second and bytes of one processor at one arithmetic."""

    kind: str
    """``cuda``, ``neuron`` or ``cpu``."""
    chip: str
    """The silicon without the memory of its variant; ``none`` for a CPU."""
    arithmetic: str
    """What computes, which may be wider than what was asked for."""
    peak_flops: float
    flops: float
    """What the power limit allows of the peak."""
    cores: float
    """Multiprocessors, physical NeuronCores or physical cores."""
    core_ghz: float = 0.0
    """The clock at which a core of a Skylake server does what one of a CPU does in plain code; 0 of an accelerator."""
    socket_cores: float = math.inf
    """Physical cores of a socket of a CPU."""
    bandwidth: float
    memory_bytes: float
    """What an application gets of it."""
    per_chip: int = 1
    """Processors in one chip."""
    link: str = "none"
    link_bandwidth: float
    """To the other processors of the instance, in one direction."""
    cache_bytes: float = 0.0
    """The last cache of a GPU, 0 where none is known."""
    copies_apart: bool = False
    """Whether a GPU copies from memory before it computes, and not meanwhile."""


def processor_of(
    chip: Accelerator | Cpu,
    arithmetic: str,
    *,
    memory_gib: float,
    cores: float = 1.0,
    host_cores: float = 0.0,
    bf16: bool = True,
) -> Processor:
    """Describe an accelerator with ``memory_gib``, or physical ``cores`` of a CPU that share ``memory_gib``.

    ``host_cores`` are those of the machine, busy or idle: the idle ones leave bandwidth and power to the others. With 0, none
    is idle. Cores of several sockets that work on one request read what lies in the memory of any: they reach the bandwidth
    of one socket at most (mozilla-ai/llamafile, issue 765: two sockets generate half as fast as one; prompts are no slower).

    What a chip has no unit for is computed in a wider format. The matrix units of CPUs compute in bf16 and not in
    fp16: without ``bf16``, half precision is fp32 there.

    Raises:
        UnknownRateError: a rate is not known, or the chip is neither CUDA nor Neuron.
    """
    if isinstance(chip, Cpu):
        used = arithmetic if bf16 or arithmetic != "half" else "fp32"
        return _cpu(chip, used, memory_gib, cores, max(host_cores, cores))
    return _accelerator(chip, arithmetic, memory_gib)


def logical_cores(chip: Accelerator) -> int:
    """Return the NeuronCores of a chip that applications see and tensor parallelism counts; 1 of a GPU."""
    if chip.kind != "neuron":
        return 1
    return int((chip.cores or DEFAULT_CORES["neuron"]) / CORES_PER_LOGICAL_CORE.get(chip.generation or "", 1))


def silicon_of(chip: str) -> str:
    """Return the name of a chip without the memory of its variant: what is said of one holds for all."""
    return re.sub(r" \d+GB", "", chip)


def sustained_flops(
    peak_flops: float, tdp_watts: float | None, launch_year: float | None, arithmetic: str
) -> float:
    """Return the arithmetic rate that the power limit allows: a small card cannot run its units at full clock."""
    if not tdp_watts or not launch_year:
        return peak_flops
    per_watt = next(rate for year, rate in TERA_PER_WATT if launch_year < year)
    limit = tdp_watts * per_watt * 1e12 * WATT_RATIO[arithmetic]
    return float((peak_flops**-6 + limit**-6) ** (-1 / 6))


def _accelerator(chip: Accelerator, arithmetic: str, memory_gib: float) -> Processor:
    if chip.kind not in DEFAULT_CORES:
        raise UnknownRateError(f"{chip.name} is neither CUDA nor Neuron")
    rates = {
        "fp32": chip.fp32_tflops,
        "tf32": chip.tf32_tflops,
        "half": chip.fp16_dense_tflops or chip.bf16_dense_tflops,
        "fp8": chip.fp8_dense_tflops,
        "fp4": chip.fp4_dense_tflops,
        "int8": chip.int8_dense_tops,
    }
    used, tera = _computed(rates, arithmetic, f"no arithmetic rate of {chip.name} is known")
    if chip.memory_bandwidth_gb_s is None:
        raise UnknownRateError(f"the memory bandwidth of {chip.name} is not published")
    parts = logical_cores(chip)
    peak = tera * 1e12
    return Processor(
        kind=chip.kind,
        chip=silicon_of(chip.name),
        arithmetic=used,
        peak_flops=peak / parts,
        flops=sustained_flops(peak, chip.tdp_watts, chip.launch_year, used) / parts,
        cores=(chip.cores or DEFAULT_CORES[chip.kind]) / parts,
        bandwidth=chip.memory_bandwidth_gb_s * 1e9 / parts,
        memory_bytes=memory_gib * GIB * USABLE_ACCELERATOR_SHARE / parts,
        per_chip=parts,
        link=chip.interconnect or "pcie",
        link_bandwidth=(chip.interconnect_gb_s or DEFAULT_LINK_GB_S) * 1e9,
        cache_bytes=(chip.cache_mib or 0.0) * 2**20,
        copies_apart=chip.kind == "cuda"
        and (chip.launch_year or ASYNCHRONOUS_COPY_YEAR) < ASYNCHRONOUS_COPY_YEAR,
    )


def _cpu(cpu: Cpu, arithmetic: str, memory_gib: float, cores: float, host_cores: float) -> Processor:
    rates = {
        "fp32": cpu.peak_fp32_gflops_per_vcpu,
        "half": cpu.peak_bf16_gflops_per_vcpu,
        "int8": cpu.peak_int8_gops_per_vcpu,
    }
    used, giga = _computed(rates, arithmetic, f"the arithmetic rate of the CPU of {cpu.name} is not known")
    if cpu.memory_bandwidth_gb_s_per_vcpu is None:
        raise UnknownRateError(f"the memory bandwidth of the CPU of {cpu.name} is not known")
    vcpus = cores * cpu.threads_per_core
    turbo = (host_cores / cores) ** TURBO_EXPONENT
    peak = giga * 1e9 * vcpus * turbo
    share = cpu.memory_bandwidth_gb_s_per_vcpu * 1e9 * cpu.threads_per_core
    bandwidth = max(share * cores, min(share * host_cores, CORE_BANDWIDTH * cores))
    if cpu.vcpus_per_socket:
        bandwidth = min(bandwidth, share * cpu.vcpus_per_socket / cpu.threads_per_core)
    return Processor(
        kind="cpu",
        chip="none",
        arithmetic=used,
        peak_flops=peak,
        flops=peak,
        cores=cores,
        core_ghz=(cpu.sustained_clock_ghz or TYPICAL_CLOCK_GHZ) * (cpu.instructions_per_clock or 1.0) * turbo,
        socket_cores=(cpu.vcpus_per_socket or math.inf) / cpu.threads_per_core,
        bandwidth=bandwidth,
        memory_bytes=memory_gib * GIB * USABLE_HOST_SHARE,
        # Workers of one host exchange through its memory.
        link_bandwidth=bandwidth,
    )


def _computed(rates: dict[str, float | None], arithmetic: str, unknown: str) -> tuple[str, float]:
    for used in FALLBACKS[arithmetic]:
        if rate := rates.get(used):
            return used, rate
    raise UnknownRateError(unknown)
