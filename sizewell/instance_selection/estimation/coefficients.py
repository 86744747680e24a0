"""Calibrated coefficients: each is a product of factors, one for each property of the case that it depends on.

``coefficients.csv`` holds the value of each level and the number of publishers whose measurements it is fitted to. A level
that no measurement has seen widens an estimate by the spread of its factor; level ``*`` stands for all that are not listed.
The table is written by ``python -m tools.benchmarks.calibrate``.
"""

import csv
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
#: A property of each case, or one value that holds for all of them.
Label = str | tuple[str, ...]
Labels = Mapping[str, Label]

COEFFICIENTS = Path(__file__).with_name("coefficients.csv")
BASE = "base"
#: The level of a property that does not apply: the factor is 1, and nothing is widened.
NONE = "none"
#: All levels that a factor does not list.
OTHERS = "*"


class Level(NamedTuple):
    """The logarithm of a factor, and how far it may be off where no measurement has seen it: a log standard deviation."""

    log_value: float
    unseen_log_sd: float


#: Levels by coefficient, factor (``base`` first) and level.
Table = Mapping[str, Mapping[str, Mapping[str, Level]]]
_NOT_APPLICABLE = Level(0.0, 0.0)


@cache
def load_table(physics: str) -> Table:
    """Return the shipped levels of ``forward``, ``generation``, ``training`` or ``boosting``."""
    header, *lines = COEFFICIENTS.read_text("utf-8").splitlines()
    found: dict[str, dict[str, dict[str, Level]]] = {}
    for row in csv.DictReader([header, *(line for line in lines if line.startswith(f"{physics},"))]):
        level = Level(float(row["log_value"]), float(row["unseen_log_sd"]))
        found.setdefault(row["coefficient"], {}).setdefault(row["factor"], {})[row["level"]] = level
    return found


def levels(factor: str, labels: Labels, count: int) -> list[str]:
    """Return the level of a factor for each case; a factor of two properties has levels like ``cuda|half``."""
    if factor == BASE:
        return [OTHERS] * count
    parts = [_spread(labels[name], count) for name in factor.split(":")]
    return (
        parts[0]
        if len(parts) == 1
        else [NONE if NONE in pair else "|".join(pair) for pair in zip(*parts, strict=True)]
    )


def _spread(label: Label, count: int) -> list[str]:
    return [label] * count if isinstance(label, str) else list(label)


class Coefficients:
    """The coefficients of one physics, by the labels of a case."""

    def __init__(self, physics: str, table: Table | None = None) -> None:
        """Take a ``table`` in place of the shipped one."""
        self._table = load_table(physics) if table is None else table
        self._values = lru_cache(maxsize=512)(self._compute)
        self._unseen = lru_cache(maxsize=512)(self._compute_unseen)

    def values(self, labels: Labels, count: int) -> dict[str, Array]:
        """Return every coefficient, for each of ``count`` cases; cached, because a catalog asks again and again."""
        return self._values(tuple(sorted(labels.items())), count)

    def unseen_log_sd(self, labels: Labels, count: int, coefficients: Iterable[str]) -> Array:
        """Return how much wider an estimate is for levels that no measurement has seen, as a log standard deviation."""
        return self._unseen(tuple(sorted(labels.items())), count, tuple(coefficients))

    def _compute(self, items: tuple[tuple[str, Label], ...], count: int) -> dict[str, Array]:
        return {
            name: np.exp(sum(self._column(name, factor, dict(items), count)[0] for factor in factors))
            for name, factors in self._table.items()
        }

    def _compute_unseen(
        self, items: tuple[tuple[str, Label], ...], count: int, coefficients: tuple[str, ...]
    ) -> Array:
        variance = np.zeros(count)
        for name in coefficients:
            for factor in self._table[name]:
                variance += self._column(name, factor, dict(items), count)[1] ** 2
        return np.sqrt(variance)

    def _column(self, name: str, factor: str, labels: Labels, count: int) -> npt.NDArray[np.float64]:
        """Return the logarithm of a factor, and its spread where it was not seen: two rows with a column for each case."""
        known, of_cases = self._table[name][factor], levels(factor, labels, count)
        # A catalog has hundreds of cases and a handful of levels.
        found = {
            level: _NOT_APPLICABLE if level == NONE else known.get(level) or known[OTHERS]
            for level in set(of_cases)
        }
        return np.array([found[level] for level in of_cases]).reshape(count, 2).T


@cache
def coefficients(physics: str) -> Coefficients:
    """Return the calibrated coefficients that ship with the package."""
    return Coefficients(physics)
