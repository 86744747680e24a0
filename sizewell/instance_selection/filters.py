"""Filters: a selection applies a visible, ordered list of them to all instance types at once.

A filter marks the types that miss a requirement. The first miss of a type is the reason that people read.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from sizewell.instance_selection.results import NoFeasibleInstanceError, Rejection

Marks = npt.NDArray[np.bool_]


class Miss(NamedTuple):
    """Why a type was rejected; the shortfall is by how many times, None where it is yes or no."""

    reason: str
    shortfall: float | None = None


C = TypeVar("C", contravariant=True)


@dataclass(frozen=True, slots=True)
class Filter(Generic[C]):
    """A requirement with a name: ``missed`` marks the types that miss it, ``describe`` says why one of them does."""

    name: str
    missed: Callable[[C], Marks]
    describe: Callable[[C, int], Miss]


def apply_filters(
    names: tuple[str, ...], columns: C, filters: tuple[Filter[C], ...]
) -> tuple[list[int], dict[str, Rejection]]:
    """Return the positions that pass every filter, and the first miss of each other type by name."""
    left = np.ones(len(names), bool)
    rejected: dict[str, Rejection] = {}
    for filter_ in filters:
        if not left.any():
            break
        missed = left & filter_.missed(columns)
        for i in np.flatnonzero(missed).tolist():
            rejected[names[i]] = rejection(names[i], filter_.name, filter_.describe(columns, i))
        left &= ~missed
    return np.flatnonzero(left).tolist(), rejected


def rejection(instance_type: str, filter_name: str, miss: Miss) -> Rejection:
    """Return a rejection; not validated again, because thousands are made."""
    return Rejection.trusted(
        {
            "instance_type": instance_type,
            "filter": filter_name,
            "reason": miss.reason,
            "shortfall": miss.shortfall,
        }
    )


def no_feasible(rejected: tuple[Rejection, ...], filters: tuple[str, ...]) -> NoFeasibleInstanceError:
    """Return the error with the five rejections that got furthest: latest filter, then least shortfall, then name."""
    stage = {name: position for position, name in enumerate(filters)}
    nearest = sorted(
        rejected,
        key=lambda r: (
            -stage[r.filter],
            r.shortfall if r.shortfall is not None else float("inf"),
            r.instance_type,
        ),
    )
    return NoFeasibleInstanceError(tuple(nearest[:5]), rejected)
