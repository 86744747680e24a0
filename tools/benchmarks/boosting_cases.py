"""Predictions of rows that train or serve gradient-boosted trees."""

import re
from collections.abc import Mapping, Sequence

import numpy as np

from sizewell.instance_selection.estimation.boosting import DECISIVE, LEAF_WISE_LIBRARIES, training_seconds
from sizewell.instance_selection.estimation.coefficients import Array, Labels
from tools.benchmarks.columns import column, machines_of_cases, words
from tools.benchmarks.measurements import Case

LIBRARIES = ("xgboost", "lightgbm", "catboost", "h2o")

#: What libraries grow by default (their parameter pages): trees, depth; and features of a small table.
DEFAULT_TREES = {"catboost": 1000.0, "h2o": 50.0}
DEFAULT_TREES_OF_OTHERS, DEFAULT_DEPTH, DEFAULT_FEATURES = 100.0, 6.0, 10.0
#: Requests per second and physical core of a web server that scores one row in Python.
REQUESTS_PER_CORE = 400.0


class BoostingCases:
    """Rows of XGBoost and its like."""

    physics = "boosting"
    decisive = DECISIVE

    def __init__(self, cases: Sequence[Case]) -> None:
        self.cases = cases
        self._machines = machines_of_cases(cases)
        self._metric = np.array(words(cases, lambda c: c.metric))
        self._rows = column(cases, lambda c: c.input_tokens, 1e6)
        self._features = column(cases, _features)
        self._trees = column(cases, _trees)
        self._depth = column(cases, lambda c: _stated(r"depth\W*(\d+)", c, DEFAULT_DEPTH))
        self._cores = self._machines.cores

    @property
    def labels(self) -> Labels:
        """What the coefficients depend on."""
        return {
            "kind": self._machines.kinds,
            "library": words(self.cases, _library),
        }

    def predict(self, k: Mapping[str, Array]) -> Array:
        """Return the metric of each row, NaN where it is no metric of boosting."""
        seconds = training_seconds(
            k,
            rows=self._rows,
            features=self._features,
            trees=self._trees,
            depth=self._depth,
            kinds=self._machines.kinds,
            cores=self._cores,
            bandwidth=self._machines.bandwidth,
            leaf_wise=np.isin(self.labels["library"], tuple(LEAF_WISE_LIBRARIES)),
        )
        out = np.where(self._metric == "train_time_s", seconds, np.nan)
        return np.where(self._metric == "requests_s", REQUESTS_PER_CORE * self._cores, out)


def _library(case: Case) -> str:
    return next((name for name in LIBRARIES if name in f"{case.library} {case.model_name}".lower()), "none")


def _features(case: Case) -> float:
    kinds = re.findall(r"(\d+) (?:categorical|numeric)\b(?! features)", case.note)
    return sum(map(float, kinds)) or _stated(r"(\d+) (?:\w+ )?features", case, DEFAULT_FEATURES)


def _trees(case: Case) -> float:
    """Return the trees of all rounds: one for each class in each."""
    rounds = _stated(
        r"(\d+) (?:trees|rounds|iterations)", case, DEFAULT_TREES.get(_library(case), DEFAULT_TREES_OF_OTHERS)
    )
    return rounds * max(_stated(r"(\d+) classes", case, 1.0), 1.0)


def _stated(pattern: str, case: Case, default: float) -> float:
    found = re.search(pattern, case.note)
    return float(found[1]) if found else default
