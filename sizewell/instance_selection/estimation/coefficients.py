"""Calibrated coefficients: each is a product of factors, one for each property of the case that it depends on.

``priors.csv`` says which properties a coefficient depends on, what is known of each level without any measurement,
and how far levels spread. ``coefficients.csv`` holds what the published measurements made of that, level by level,
with how many sources there are of it; it is written by ``python -m tools.benchmarks.calibrate``. A level that no
measurement has seen keeps its prior, and widens the estimate by the spread of its factor.
"""

import csv
import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
#: A property of each case, or one value that holds for all of them.
Label = str | tuple[str, ...]
Labels = Mapping[str, Label]
#: Coefficient, factor and level.
Key = tuple[str, str, str]

PRIORS = Path(__file__).with_name("priors.csv")
FITTED = Path(__file__).with_name("coefficients.csv")
BASE = "base"
#: Properties of the software that computes, of which a publisher may be the only witness.
SOFTWARE = frozenset({"engine", "framework", "quantization", "library"})
#: The level of a property that does not apply: the factor is 1, and nothing is widened.
NONE = "none"


@dataclass(frozen=True, slots=True)
class FactorPrior:
    """What is known of a factor before any measurement: logarithms, and the spread between levels."""

    log_sd: float
    log_means: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CoefficientPrior:
    """The factors of one coefficient, ``base`` first."""

    factors: dict[str, FactorPrior]


@dataclass(frozen=True, slots=True)
class Fitted:
    """A level after calibration: the logarithm of its factor, and what is left of its spread."""

    log_value: float
    log_sd: float


@cache
def load_priors(physics: str) -> dict[str, CoefficientPrior]:
    """Return the prior of each coefficient of ``forward``, ``generation``, ``training`` or ``boosting``."""
    priors: dict[str, CoefficientPrior] = {}
    for row in _rows(PRIORS, physics):
        factors = priors.setdefault(row["coefficient"], CoefficientPrior({})).factors
        factor, level = row["factor"], row["level"]
        if row["log_sd"]:
            factors[factor] = FactorPrior(float(row["log_sd"]))
        if level != "*" or factor == BASE:
            factors[factor].log_means[level] = math.log(float(row["value"]))
    return priors


@cache
def load_fitted(physics: str) -> dict[Key, Fitted]:
    """Return the calibrated levels of one physics; empty before the first calibration."""
    if not FITTED.exists():
        return {}
    return {
        (row["coefficient"], row["factor"], row["level"]): Fitted(
            float(row["log_value"]), float(row["log_sd"])
        )
        for row in _rows(FITTED, physics)
    }


def _rows(table: Path, physics: str) -> Iterator[dict[str, str]]:
    """Yield the rows of one physics, which is the first column: the others are not parsed."""
    header, *lines = table.read_text("utf-8").splitlines()
    return csv.DictReader([header, *(line for line in lines if line.startswith(f"{physics},"))])


def levels(factor: str, labels: Labels, count: int) -> list[str]:
    """Return the level of a factor for each case; a factor of two properties has levels like ``cuda|half``."""
    if factor == BASE:
        return ["*"] * count
    parts = [_spread(labels[name], count) for name in factor.split(":")]
    return (
        parts[0]
        if len(parts) == 1
        else [NONE if NONE in pair else "|".join(pair) for pair in zip(*parts, strict=True)]
    )


def is_software(factor: str) -> bool:
    """Return whether a factor depends on what software computes."""
    return not SOFTWARE.isdisjoint(factor.split(":"))


def _spread(label: Label, count: int) -> list[str]:
    return [label] * count if isinstance(label, str) else list(label)


class Coefficients:
    """The coefficients of one physics, by the labels of a case."""

    def __init__(
        self,
        physics: str,
        fitted: Mapping[Key, Fitted] | None = None,
        software: Collection[Key] | None = None,
    ) -> None:
        """Take ``fitted`` levels in place of those that ship; with ``software``, all its other levels are neutral."""
        self.priors = load_priors(physics)
        self._software = software
        self._fitted = load_fitted(physics) if fitted is None else fitted
        self._values = lru_cache(maxsize=512)(self._compute)
        self._unseen = lru_cache(maxsize=512)(self._compute_unseen)

    def values(self, labels: Labels, count: int) -> dict[str, Array]:
        """Return every coefficient, for each of ``count`` cases; cached, because a catalog asks again and again."""
        return self._values(tuple(sorted(labels.items())), count)

    def unseen_log_sd(self, labels: Labels, count: int, coefficients: Iterable[str]) -> Array:
        """Return how much wider an estimate is for levels that no measurement has seen, as a log standard deviation."""
        return self._unseen(tuple(sorted(labels.items())), count, tuple(coefficients))

    def _compute_unseen(
        self, items: tuple[tuple[str, Label], ...], count: int, coefficients: tuple[str, ...]
    ) -> Array:
        labels, variance = dict(items), np.zeros(count)
        for name in coefficients:
            for factor, prior in self.priors[name].factors.items():
                variance += [
                    0.0 if level == NONE or (name, factor, level) in self._fitted else prior.log_sd**2
                    for level in levels(factor, labels, count)
                ]
        return np.sqrt(variance)

    def _compute(self, items: tuple[tuple[str, Label], ...], count: int) -> dict[str, Array]:
        labels = dict(items)
        return {
            name: np.exp(
                sum(
                    self._logs(name, factor, levels(factor, labels, count), known)
                    for factor, known in prior.factors.items()
                )
            )
            for name, prior in self.priors.items()
        }

    def _logs(self, name: str, factor: str, of_cases: list[str], prior: FactorPrior) -> Array:
        # A catalog has hundreds of cases and a handful of levels.
        logs = {level: self._log(name, factor, level, prior) for level in set(of_cases)}
        return np.array([logs[level] for level in of_cases])

    def _log(self, name: str, factor: str, level: str, prior: FactorPrior) -> float:
        if level == NONE:
            return 0.0
        if self._software is not None and is_software(factor) and (name, factor, level) not in self._software:
            return 0.0
        found = self._fitted.get((name, factor, level))
        return found.log_value if found else prior.log_means.get(level, 0.0)


@cache
def coefficients(physics: str) -> Coefficients:
    """Return the calibrated coefficients that ship with the package."""
    return Coefficients(physics)
