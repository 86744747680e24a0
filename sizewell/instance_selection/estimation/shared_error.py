"""What a measurement on one type says of the estimates of the others: they share most of their error.

What an estimate does not know of a model, its software and its requests, it knows of no type. Over the published measurements
of one workload on several machines, 0.7 to 0.8 of the logarithm of the error on one machine is that of another, and it hardly
matters which: GPUs of one chip in other numbers .68, other GPUs .87, CPUs .79, a GPU and a CPU .69 (publishers left out,
``python -m tools.benchmarks.decisions`` shows what that is worth).
"""

import math
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sizewell.instance_selection.estimation.coefficients import Array

#: The part of the logarithm of an error that two types share.
SHARED_PART = 0.7
#: By what types with the same processors differ at most, as far as was published: of one model on g5.8xlarge and g5.16xlarge,
#: and on four A10G of g5.12xlarge and g5.48xlarge, with 10 to 200 users, mean latencies differ by 1 to 10 %, in the pair far
#: beyond saturation by 41 %, and its 90th percentiles by 57 % (source CYRUSTC of the calibration data).
SIBLING_FACTOR = 1.6
#: What nine of ten other types differ by after one of them was measured.
OTHER_FACTOR = 2.4


@dataclass(frozen=True, eq=False)
class Shared:
    """What measurements of some types say of all: siblings, with the same processors, share the whole error.

    ``processors`` are those of each type, alike for siblings. ``errors`` are measured over predicted, by the position of
    the type. What was measured on a type itself counts alone, then what was measured on siblings.
    """

    processors: Sequence[Hashable]
    errors: Mapping[int, float]

    def siblings(self, i: int) -> tuple[int, ...]:
        """Return the measured types with the same processors: the type itself where it was measured."""
        if i in self.errors:
            return (i,)
        return tuple(j for j in self.errors if self.processors[j] == self.processors[i])

    @cached_property
    def factors(self) -> Array:
        """The factor on the estimate of each type."""
        of_others = shared_factor(self.errors.values())
        return np.array(
            [
                mean_factor([self.errors[j] for j in siblings]) if siblings else of_others
                for siblings in map(self.siblings, range(len(self.processors)))
            ]
        )

    @cached_property
    def by(self) -> tuple[tuple[int, ...], ...]:
        """The other types whose measurements scale the estimate of each type."""
        return tuple(
            tuple(j for j in self.siblings(i) or self.errors if j != i) for i in range(len(self.processors))
        )

    def narrowed(self, low: Array, high: Array) -> tuple[Array, Array]:
        """Return the factors of a range, no wider than types differ that share an error."""
        if not self.errors:
            return low, high
        widest = np.array(
            [SIBLING_FACTOR if self.siblings(i) else OTHER_FACTOR for i in range(len(self.processors))]
        )
        return np.maximum(low, 1 / widest), np.minimum(high, widest)


def shared_factor(errors: Collection[float]) -> float:
    """Return the factor on the estimate of a type that was not measured, from measured over predicted of others.

    The best guess of one of several values that are pairwise correlated by `SHARED_PART`: of n others, their mean logarithm
    times n c / (1 + (n - 1) c).
    """
    if not errors:
        return 1.0
    n = len(errors)
    weight = n * SHARED_PART / (1 + (n - 1) * SHARED_PART)
    return math.exp(weight * math.fsum(map(math.log, errors)) / n)


def mean_factor(errors: Collection[float]) -> float:
    """Return the factor on the estimate of a type with the same processors as the measured ones: their geometric mean."""
    return math.exp(math.fsum(map(math.log, errors)) / len(errors))
