"""Predictions of rows that train or serve gradient-boosted trees."""

import math
from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from sizewell.instance_selection.catalog import load_catalog
from sizewell.instance_selection.estimation.boosting import (
    DECISIVE,
    DEFAULT_BINS,
    DEFAULT_HOST_CORES,
    LEAF_WISE_LIBRARIES,
    REFERENCE_GHZ,
    answer_seconds,
    boosting_labels,
    training_seconds,
)
from sizewell.instance_selection.estimation.coefficients import Array, Labels
from tools.benchmarks.columns import column, flags, machines_of_cases, words
from tools.benchmarks.measurements import Case
from tools.benchmarks.trees import LIBRARIES

#: What libraries grow by default (their parameter pages): trees, depth, leaves; and features of a small table.
DEFAULT_TREES = {"catboost": 1000.0, "h2o": 50.0}
DEFAULT_TREES_OF_OTHERS, DEFAULT_DEPTH, DEFAULT_FEATURES = 100.0, 6.0, 10.0
DEFAULT_LEAVES = 31.0
#: Requests per second and physical core of a web server that scores one row in Python.
REQUESTS_PER_CORE = 400.0


class BoostingCases:
    """Rows of XGBoost and its like."""

    physics = "boosting"
    decisive = DECISIVE

    def __init__(self, cases: Sequence[Case]) -> None:
        self.cases = cases
        machines = machines_of_cases(cases)
        self._metric = np.array(words(cases, lambda c: c.metric))
        self._asked = np.array([not c.training and c.chip.kind == "cpu" for c in cases])
        self._batch = column(cases, lambda c: c.batch, 1.0)
        self._rounds = column(cases, _rounds)
        self._classes = column(cases, lambda c: max(c.trees.classes or 1.0, 1.0))
        self._leaves = column(cases, _leaves)
        self._cores = machines.cores
        self._labels = boosting_labels(machines.kinds, words(cases, _library))
        self._presorted = flags(cases, lambda c: c.trees.presorted)
        self._table: dict[str, Array] = {
            "rows": column(cases, lambda c: c.input_tokens, 1e6),
            "features": column(cases, lambda c: c.trees.features, DEFAULT_FEATURES),
            "depth": column(cases, _depth),
            "bins": column(cases, lambda c: c.trees.bins, DEFAULT_BINS),
            "core_ghz": machines.core_ghz,
            "socket_cores": machines.socket_cores,
            "bandwidth": machines.bandwidth,
            "host_cores": column(cases, lambda c: _host_cores(c.instance_type)),
        }

    @property
    def labels(self) -> Labels:
        """What the coefficients depend on."""
        return self._labels

    def predict(self, k: Mapping[str, Array]) -> Array:
        """Return the metric of each row, NaN where it is no metric of boosting."""
        seconds = training_seconds(
            k,
            self._labels,
            rounds=self._rounds,
            classes=self._classes,
            leaves=self._leaves,
            cores=self._cores,
            presorted=self._presorted,
            **self._table,
        )
        out = np.where(self._metric == "train_time_s", seconds, np.nan)
        answered = answer_seconds(
            rows=self._batch,
            trees=self._rounds * self._classes,
            depth=np.log2(self._leaves),
            cores=self._cores,
            core_ghz=np.where(self._asked, self._table["core_ghz"], REFERENCE_GHZ),
        )
        latency = self._asked & np.char.startswith(self._metric, "latency_ms")
        out = np.where(latency, answered * 1e3, out)
        out = np.where(self._asked & (self._metric == "throughput_seq_s"), self._batch / answered, out)
        return np.where(self._metric == "requests_s", REQUESTS_PER_CORE * self._cores, out)


def table_of(case: Case) -> tuple[float, float, float, str]:
    """Return the rows and features of a table, the depth of the trees that are grown on it, and the library."""
    features = case.trees.features or DEFAULT_FEATURES
    return case.input_tokens or 1e6, features, _depth(case), _library(case)


def _library(case: Case) -> str:
    named = (case.framework, *case.model_name.lower().split())
    return next((name for name in LIBRARIES if name in named), "none")


def _rounds(case: Case) -> float:
    return case.trees.rounds or DEFAULT_TREES.get(_library(case), DEFAULT_TREES_OF_OTHERS)


def _depth(case: Case) -> float:
    """Return the deepest level: where leaves alone are limited, that of an even tree of as many."""
    leaves = case.trees.leaves or 0.0
    return case.trees.depth or (math.log2(leaves) if leaves > 1 else DEFAULT_DEPTH)


def _leaves(case: Case) -> float:
    """Return the most leaves of a tree; a row that states the depth alone has limited nothing else."""
    leaves = case.trees.leaves
    if not leaves and not case.trees.depth and _library(case) in LEAF_WISE_LIBRARIES:
        leaves = DEFAULT_LEAVES
    return float(min(leaves or math.inf, 2.0 ** _depth(case)))


def _host_cores(instance_type: str) -> float:
    return _vcpus().get(instance_type.removeprefix("ml."), 2 * DEFAULT_HOST_CORES) / 2


@cache
def _vcpus() -> dict[str, int]:
    return {t.name.removeprefix("ml."): t.vcpus for t in load_catalog("us-east-1").instance_types}
