"""Processors as columns: instance types for the product, published measurements for its calibration."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from sizewell.instance_selection.catalog import InstanceType
from sizewell.instance_selection.estimation.coefficients import Array
from sizewell.instance_selection.estimation.hardware import hardware_kind
from sizewell.instance_selection.estimation.processors import Processor, UnknownRateError, processor_of
from sizewell.instance_selection.requirements import Architecture, HardwareKind, Precision

#: One request at batch 1 does not keep more vCPUs busy than this; larger instances run several workers.
MAX_VCPUS_PER_WORKER = 16
#: The Neuron compiler casts these matrix products to bf16 unless told not to (--auto-cast).
CAST_BY_NEURON = ("fp32", "tf32", "int8")
#: Stands in a column for what cannot be described.
_BLANK = Processor(
    kind="none", chip="none", arithmetic="half", peak_flops=1.0, flops=1.0, cores=1.0, bandwidth=1.0, memory_bytes=0.0,
    link_bandwidth=1.0,
)  # fmt: skip


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

    At most ``count`` of them work in an instance. ``memory_bytes`` is that of one accelerator, or of the whole host.
    ``cores`` are physical cores of a CPU, NeuronCores of a logical one, or multiprocessors of a GPU; ``tile_flops`` is
    the rate of one, ``core_ghz`` the clock of a Skylake core that is as fast as one of a CPU, whose sockets have
    ``socket_cores`` each. ``reasons`` says why a processor cannot be described, and is empty where it can.
    """

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    chips: tuple[str, ...]
    arithmetic: tuple[str, ...]
    links: tuple[str, ...]
    flops: Array
    tile_flops: Array
    cores: Array
    core_ghz: Array
    socket_cores: Array
    bandwidth: Array
    link_bandwidth: Array
    memory_bytes: Array
    count: Array
    value_bytes: Array
    """Bytes of one activation."""
    cache_bytes: Array
    copies_apart: tuple[bool, ...]
    reasons: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def distinct(self) -> tuple["Machines", npt.NDArray[np.intp]]:
        """Each processor once, by itself and not one of an instance, and which of them every machine has."""
        columns = {f.name: getattr(self, f.name) for f in fields(self)}
        alike = [column for name, column in columns.items() if name not in ("names", "count", "reasons")]
        first: dict[tuple[object, ...], int] = {}
        of_row = [first.setdefault(row, i) for i, row in enumerate(zip(*alike, strict=True))]
        kept = list(first.values())
        each: dict[str, Any] = {
            name: column[kept] if isinstance(column, np.ndarray) else tuple(column[i] for i in kept)
            for name, column in columns.items()
            if name != "reasons"
        }
        return Machines(**each | {"count": np.ones(len(kept))}), np.searchsorted(kept, of_row)


@lru_cache(maxsize=512)
def where_is(
    machines: Machines, column: Literal["kinds", "arithmetic", "links"], word: str
) -> npt.NDArray[np.bool_]:
    """Return which machines have a word in a column."""
    return np.array([value == word for value in getattr(machines, column)], bool)


def columns_of(
    names: Sequence[str],
    processors: Sequence[Processor],
    counts: Sequence[float],
    reasons: Sequence[str] = (),
) -> Machines:
    """Return processors as columns; ``counts`` are those of an instance."""
    return Machines(
        names=tuple(names),
        kinds=tuple(p.kind for p in processors),
        chips=tuple(p.chip for p in processors),
        arithmetic=tuple(p.arithmetic for p in processors),
        links=tuple(p.link for p in processors),
        flops=np.array([p.flops for p in processors]),
        tile_flops=np.array([p.peak_flops / p.cores for p in processors]),
        cores=np.array([float(p.cores) for p in processors]),
        core_ghz=np.array([p.core_ghz for p in processors]),
        socket_cores=np.array([p.socket_cores for p in processors]),
        bandwidth=np.array([p.bandwidth for p in processors]),
        link_bandwidth=np.array([p.link_bandwidth for p in processors]),
        memory_bytes=np.array([p.memory_bytes for p in processors]),
        count=np.array([float(count) for count in counts]),
        value_bytes=np.array([value_bytes(p.arithmetic, p.kind) for p in processors]),
        cache_bytes=np.array([p.cache_bytes for p in processors]),
        copies_apart=tuple(p.copies_apart for p in processors),
        reasons=tuple(reasons),
    )


def machines_of(
    instance_types: Sequence[InstanceType], arithmetic: str, *, bf16: bool = True, whole_cpu: bool = False
) -> Machines:
    """Describe instance types at an arithmetic: ``fp32``, ``tf32``, ``half``, ``fp8``, ``fp4`` or ``int8``.

    The matrix units of CPUs compute in ``bf16`` but not in fp16: without it, half precision is fp32 there. A CPU is
    one machine with ``whole_cpu``, for training; else one for each worker that answers requests.
    """
    max_vcpus = math.inf if whole_cpu else MAX_VCPUS_PER_WORKER
    found = [_describe(t, arithmetic, bf16, max_vcpus) for t in instance_types]
    described = [f if isinstance(f, tuple) else (_BLANK, 1) for f in found]
    return columns_of(
        [t.name for t in instance_types],
        [processor for processor, _ in described],
        [count for _, count in described],
        ["" if isinstance(f, tuple) else f for f in found],
    )


def value_bytes(arithmetic: str, kind: str) -> float:
    """Return the bytes of one activation; CPU kernels keep a part of an int8 network in wider values."""
    if arithmetic == "int8":
        return 1.5 if kind == "cpu" else 1.0
    return 4.0 if arithmetic in ("fp32", "tf32") else 2.0


def _describe(
    instance_type: InstanceType, arithmetic: str, bf16: bool, max_vcpus: float
) -> tuple[Processor, int] | str:
    """Return the processor of a type and how many it has, or why it cannot be described."""
    kind, chip, cpu = hardware_kind(instance_type), instance_type.accelerator, instance_type.cpu
    if kind is None:
        return f"{chip.name if chip else 'its accelerator'} is neither CUDA nor Neuron"
    if kind is HardwareKind.NEURON and arithmetic in CAST_BY_NEURON:
        arithmetic = "half"
    try:
        if chip is not None:
            found = processor_of(chip, arithmetic, memory_gib=instance_type.accelerator_memory_gib or 0.0)
            count = instance_type.accelerator_count * found.per_chip
            owner, state = chip.name, "published"
        elif cpu is not None:
            workers = max(1, int(instance_type.vcpus // max_vcpus))
            found = processor_of(
                cpu,
                arithmetic,
                memory_gib=instance_type.memory_gib,
                cores=min(instance_type.vcpus, max_vcpus) / cpu.threads_per_core,
                bf16=bf16,
            )
            count, owner, state = workers, f"the CPU of {instance_type.family}", "known"
        else:
            return f"the arithmetic rate of the CPU of {instance_type.family} is not known"
    except UnknownRateError as error:
        return str(error)
    # fp32 stands in for TF32 everywhere, and for half precision on a CPU; who asks for another format wants its speed.
    if found.arithmetic != arithmetic and not (
        found.arithmetic == "fp32" and (arithmetic == "tf32" or (arithmetic == "half" and chip is None))
    ):
        name = "half-precision" if arithmetic == "half" else arithmetic
        return f"{owner} has no {name} arithmetic, or its rate is not {state}"
    return found, count
