"""Coefficients with round figures: half of the peak is reached, and whatever would be added to that costs nothing.

A test that is about one of the additions states it: ``known("forward", launch_us=1000)``.
"""

from collections.abc import Iterable
from functools import cache

import numpy as np

from sizewell.instance_selection.estimation.coefficients import Array, Coefficients, Labels, load_table

#: What is reached; every other coefficient is a cost, and 0.
REACHED = {
    "compute": 0.5,
    "bandwidth": 0.5,
    "cache_bandwidth": 0.5,
    "link": 1.0,
    "bin_ns": 1.0,
    "gpu_cores": 1.0,
}


def known(physics: str, **changes: float) -> dict[str, Array]:
    """Return every coefficient of a physics, the same for all machines."""
    values = {name: REACHED.get(name, 0.0) for name in load_table(physics)}
    assert changes.keys() <= values.keys(), f"{physics} has no {changes.keys() - values.keys()}"
    return {name: np.array(value) for name, value in (values | changes).items()}


class KnownCoefficients(Coefficients):
    """The same for whatever labels, and sure of it."""

    def __init__(self, physics: str) -> None:
        super().__init__(physics)
        self._known = known(physics)

    def values(self, labels: Labels, count: int) -> dict[str, Array]:
        return {name: np.full(count, value) for name, value in self._known.items()}

    def unseen_log_sd(self, labels: Labels, count: int, coefficients: Iterable[str]) -> Array:
        return np.zeros(count)


@cache
def known_coefficients(physics: str) -> KnownCoefficients:
    return KnownCoefficients(physics)
