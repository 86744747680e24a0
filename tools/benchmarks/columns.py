"""The inputs of the estimates as columns, one row for each case."""

from collections.abc import Callable, Sequence

import numpy as np

from sizewell.instance_selection.estimation.coefficients import Array
from sizewell.instance_selection.estimation.machines import Machines, cache_bytes_of, silicon_of, value_bytes
from tools.benchmarks.measurements import Case

Bools = np.ndarray


def column(cases: Sequence[Case], value: Callable[[Case], float | None], default: float = 0.0) -> Array:
    """Return one number per case."""
    return np.array([default if (v := value(c)) is None else float(v) for c in cases])


def flags(cases: Sequence[Case], value: Callable[[Case], bool]) -> Bools:
    """Return one truth value per case."""
    return np.array([bool(value(c)) for c in cases])


def words(cases: Sequence[Case], value: Callable[[Case], str]) -> tuple[str, ...]:
    """Return one word per case."""
    return tuple(value(c) for c in cases)


def machines_of_cases(cases: Sequence[Case], *, per_core: bool) -> Machines:
    """Return the device of each case; with ``per_core`` a NeuronCore counts as a device of its own."""
    parts = np.array([c.chip.cores_per_device if per_core else 1 for c in cases], float)
    used = tuple(c.chip.peak(c.arithmetic)[1] for c in cases)
    kinds = words(cases, lambda c: c.chip.kind)
    return Machines(
        names=words(cases, lambda c: c.id),
        kinds=kinds,
        chips=words(cases, lambda c: "none" if c.chip.kind == "cpu" else silicon_of(c.chip.name)),
        arithmetic=words(cases, lambda c: c.arithmetic),
        links=words(cases, lambda c: c.chip.link),
        flops=column(cases, lambda c: c.chip.sustained(c.arithmetic)) / parts,
        tile_flops=column(cases, lambda c: c.chip.peak(c.arithmetic)[0] / c.chip.cores),
        bandwidth=column(cases, lambda c: c.chip.bandwidth) / parts,
        link_bandwidth=column(cases, lambda c: c.chip.link_bandwidth),
        memory_bytes=column(cases, lambda c: c.chip.memory_bytes) / parts,
        count=column(cases, lambda c: c.chips),
        cache_bytes=column(cases, lambda c: cache_bytes_of(c.chip.name) if c.chip.kind == "cuda" else 0.0),
        value_bytes=np.array([value_bytes(a, k) for a, k in zip(used, kinds, strict=True)]),
    )
