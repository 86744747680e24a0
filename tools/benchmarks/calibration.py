"""The fit of the coefficients to published measurements.

Each coefficient is a product of factors with a prior (``priors.csv``); the most probable values given all rows are
found by Gauss-Newton on the logarithms. Deviations count less the larger they are, a source with many rows counts
little more than one with thirty, and each publisher may be faster or slower as a whole, so that one stack of software
does not distort what is said of a chip; a publisher that is off by much does not pull the others along.
"""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Protocol

import numpy as np
from scipy.sparse import csr_matrix

from sizewell.instance_selection.estimation.coefficients import (
    Array,
    Labels,
    Level,
    Table,
    levels,
)
from tools.benchmarks.measurements import Case
from tools.benchmarks.priors import is_software, load_priors, prior_table
from tools.benchmarks.tables import publisher_of

#: Log deviations above this count less than in proportion to their square.
ROBUST_SCALE = 0.2
#: Spread of whole publishers around the model: their software and their care, of one class of engines.
PUBLISHER_LOG_SD = 0.25
#: Rows up to which a source counts in proportion.
FULL_WEIGHT_ROWS = {"forward": 30, "generation": 20, "training": 20, "boosting": 30}
#: Rows of a source that are looked at: more say the same again.
MAX_ROWS_OF_SOURCE = 60
MAX_STEPS = 25
MIN_GAIN = 2e-4
TRIALS = 6
#: Coefficient, factor and level.
Key = tuple[str, str, str]


class PhysicsCases(Protocol):
    """Rows of one physics, and what it predicts of them."""

    @property
    def physics(self) -> str:
        """Which physics."""

    @property
    def decisive(self) -> tuple[str, ...]:
        """The coefficients that decide."""

    @property
    def cases(self) -> Sequence[Case]:
        """The rows."""

    @property
    def labels(self) -> Labels:
        """What the coefficients depend on."""

    def predict(self, k: Mapping[str, Array]) -> Array:
        """Return the metric of each row."""


class Calibration:
    """The fit of one physics to its rows."""

    def __init__(self, cases: PhysicsCases) -> None:
        self.cases = cases
        count = len(cases.cases)
        self._keys: dict[Key, int] = {}
        means: list[float] = []
        spreads: list[float] = []
        priors = load_priors(cases.physics)
        self._columns: dict[str, np.ndarray] = {}
        for name, prior in priors.items():
            columns = []
            for factor, known in prior.items():
                column = []
                for level in levels(factor, cases.labels, count):
                    key = (name, factor, level)
                    if not known.has(level):
                        column.append(-1)
                        continue
                    if key not in self._keys:
                        self._keys[key] = len(means)
                        means.append(known.log_means.get(level, 0.0))
                        spreads.append(known.log_sd)
                    column.append(self._keys[key])
                columns.append(column)
            self._columns[name] = np.array(columns)
        self._offset = np.empty(count, int)
        places: dict[str, int] = {}
        for i, case in enumerate(cases.cases):
            publisher = publisher_of(case.source)
            if publisher not in places:
                places[publisher] = len(means)
                means.append(0.0)
                spreads.append(PUBLISHER_LOG_SD)
            self._offset[i] = places[publisher]
        self._mean, self._spread = np.array(means), np.array(spreads)
        self._is_offset = np.arange(len(means)) >= len(self._keys)
        self.values = np.array([np.nan if c.value is None else c.value for c in cases.cases])
        self._weights = _weights(cases)
        stated = np.array([c.size_is_stated for c in cases.cases])
        self.usable = stated & (self.values > 0) & np.isfinite(cases.predict(self._coefficients(self._mean)))

    def fit(self, rows: np.ndarray) -> Table:
        """Return the levels after a fit to the chosen rows (truth values).

        Software that these rows do not show, but others do, is as if nobody knew it: a factor of 1, whatever its prior says.
        """
        chosen = np.where(rows & self.usable)[0]
        table = prior_table(self.cases.physics)
        if not len(chosen):
            return table
        fitted, seen, shown = self._solve(chosen), self._seen(chosen), self._seen(np.where(self.usable)[0])
        for (name, factor, level), i in self._keys.items():
            if i in seen:
                table[name][factor][level] = Level(float(fitted[i]), 0.0)
            elif i in shown and is_software(factor):
                table[name][factor].pop(level, None)
        return table

    def publishers(self) -> dict[Key, int]:
        """Return how many publishers have usable rows of each level."""
        who = np.array([publisher_of(case.source) for case in self.cases.cases])
        of_level: dict[int, set[str]] = {}
        for columns in self._columns.values():
            for column in columns:
                for i in np.where(self.usable)[0]:
                    of_level.setdefault(int(column[i]), set()).add(str(who[i]))
        return {key: len(of_level.get(i, ())) for key, i in self._keys.items()}

    def _seen(self, chosen: np.ndarray) -> set[int]:
        return {int(i) for columns in self._columns.values() for i in columns[:, chosen].ravel() if i >= 0}

    def _coefficients(self, theta: Array) -> dict[str, Array]:
        padded = np.append(theta, 0.0)
        return {name: np.exp(padded[columns].sum(0)) for name, columns in self._columns.items()}

    def _log_predictions(self, theta: Array, chosen: np.ndarray) -> Array:
        predicted = self.cases.predict(self._coefficients(theta))[chosen]
        logs: Array = np.log(np.maximum(predicted, 1e-30)) + theta[self._offset[chosen]]
        return logs

    def _solve(self, chosen: np.ndarray) -> Array:
        size, weights = len(self._mean), self._weights[chosen]
        observed = np.log(self.values[chosen])
        designs = {name: _design(columns[:, chosen], size) for name, columns in self._columns.items()}
        offsets = _design(self._offset[None, chosen], size)
        theta, damping = self._mean.copy(), 1e-3

        def cost(residual: Array, theta: Array) -> float:
            moved = (theta - self._mean) / self._spread
            data = (weights**2 * _robust(residual / ROBUST_SCALE)).sum()
            return float(data + np.where(self._is_offset, _robust(moved), moved**2).sum())

        residual = np.nan_to_num(self._log_predictions(theta, chosen) - observed)
        best = cost(residual, theta)
        for _ in range(MAX_STEPS):
            jacobian = offsets + self._slopes(theta, chosen, designs)
            curvature = weights**2 * _robust_curvature(residual / ROBUST_SCALE) / ROBUST_SCALE**2
            moved = (theta - self._mean) / self._spread
            stiffness = np.where(self._is_offset, _robust_curvature(moved), 1.0) / self._spread**2
            hessian = (jacobian.T.multiply(curvature) @ jacobian).toarray() + np.diag(stiffness)
            gradient = jacobian.T @ (curvature * residual) + (theta - self._mean) * stiffness
            gain = 0.0
            for _ in range(TRIALS):
                step = np.linalg.solve(hessian + damping * np.diag(np.diag(hessian)), -gradient)
                trial = theta + np.clip(step, -1, 1)
                left = np.nan_to_num(self._log_predictions(trial, chosen) - observed)
                value = cost(left, trial)
                if value < best:
                    gain, best, theta, residual = best - value, value, trial, left
                    damping = max(damping / 5, 1e-6)
                    break
                damping *= 5
            if gain < MIN_GAIN * best:
                break
        return theta

    def _slopes(self, theta: Array, chosen: np.ndarray, designs: dict[str, csr_matrix]) -> csr_matrix:
        # The logarithm of a coefficient is a sum of levels: one difference per coefficient is enough.
        k = self._coefficients(theta)
        base = np.log(np.maximum(self.cases.predict(k)[chosen], 1e-30))
        total: csr_matrix | None = None
        for name, design in designs.items():
            moved = self.cases.predict({**k, name: k[name] * 1.01})[chosen]
            slope = np.nan_to_num((np.log(np.maximum(moved, 1e-30)) - base) / np.log(1.01))
            part = design.multiply(slope[:, None])
            total = part if total is None else total + part
        assert total is not None
        return total.tocsr()


def _robust(z: Array) -> Array:
    """Return what a deviation of z spreads costs: its square near zero, in proportion to it far away."""
    return np.asarray(2 * (np.sqrt(1 + z * z) - 1))


def _robust_curvature(z: Array) -> Array:
    return np.asarray(1 / np.sqrt(1 + z * z))


def sampled(cases: Sequence[Case]) -> list[Case]:
    """Return the cases that a fit looks at: of each source a number that is spread over all that it measured."""
    of_source: dict[str, list[Case]] = {}
    for case in cases:
        of_source.setdefault(case.source, []).append(case)
    kept = {
        case.id
        for members in of_source.values()
        for case in sorted(members, key=_shuffled)[:MAX_ROWS_OF_SOURCE]
    }
    return [case for case in cases if case.id in kept]


def _shuffled(case: Case) -> str:
    # By what a row describes: its place in the table must not matter.
    stated = (
        case.model_name,
        case.chip.name,
        case.chips,
        case.metric,
        case.batch,
        case.input_tokens,
        case.output_tokens,
    )
    return sha256(repr((*stated, case.load, case.library, case.arithmetic, case.value)).encode()).hexdigest()


def _design(columns: np.ndarray, size: int) -> csr_matrix:
    rows = np.tile(np.arange(columns.shape[1]), columns.shape[0])
    flat = columns.ravel()
    kept = flat >= 0
    return csr_matrix((np.ones(kept.sum()), (rows[kept], flat[kept])), shape=(columns.shape[1], size))


def _weights(cases: PhysicsCases) -> Array:
    sources = [c.source for c in cases.cases]
    full = FULL_WEIGHT_ROWS[cases.physics]
    weights = np.array([(full / max(full, sources.count(s))) ** 0.5 for s in sources])
    return weights * [c.trust for c in cases.cases]
