"""The inputs of the estimates as columns, one row for each case."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any, TypeVar

import numpy as np

from sizewell.instance_selection.estimation.coefficients import Array
from sizewell.instance_selection.estimation.machines import Machines, columns_of
from sizewell.instance_selection.requirements import Precision
from tools.benchmarks.measurements import Case

Bools = np.ndarray
T = TypeVar("T")


def column(cases: Sequence[Case], value: Callable[[Case], float | None], default: float = 0.0) -> Array:
    """Return one number per case."""
    return np.array([default if (v := value(c)) is None else float(v) for c in cases])


def flags(cases: Sequence[Case], value: Callable[[Case], bool]) -> Bools:
    """Return one truth value per case."""
    return np.array([bool(value(c)) for c in cases])


def words(cases: Sequence[Case], value: Callable[[Case], str]) -> tuple[str, ...]:
    """Return one word per case."""
    return tuple(value(c) for c in cases)


def machines_of_cases(cases: Sequence[Case]) -> Machines:
    """Return the device of each case; a logical NeuronCore is a device of its own."""
    found = [c.chip.processor(c.arithmetic, bf16=c.model.precision is not Precision.FP16) for c in cases]
    return columns_of(
        [c.id for c in cases], found, [c.chips * p.per_chip for c, p in zip(cases, found, strict=True)]
    )


def stacked(records: Sequence[T]) -> T:
    """Return dataclasses of numbers as one dataclass of columns."""
    kind: Any = type(records[0])
    stacked: T = kind(
        **{field.name: np.array([float(getattr(r, field.name)) for r in records]) for field in fields(kind)}
    )
    return stacked


def by_metric(metrics: np.ndarray, values: Mapping[str, Array]) -> Array:
    """Return the value of the metric of each row, NaN where it is none of these."""
    found = np.full(len(metrics), np.nan)
    for metric, value in values.items():
        found = np.where(metrics == metric, value, found)
    return found
