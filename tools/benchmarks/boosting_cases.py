"""Predictions of rows that train or serve gradient-boosted trees."""

import math
import re
from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from sizewell.instance_selection.catalog import load_catalog
from sizewell.instance_selection.estimation.boosting import (
    DECISIVE,
    DEFAULT_BINS,
    DEFAULT_HOST_CORES,
    LEAF_WISE_LIBRARIES,
    answer_seconds,
    boosting_labels,
    training_seconds,
)
from sizewell.instance_selection.estimation.coefficients import Array, Labels
from tools.benchmarks.columns import column, flags, machines_of_cases, words
from tools.benchmarks.measurements import Case

LIBRARIES = ("xgboost", "lightgbm", "catboost", "h2o")

#: What libraries grow by default (their parameter pages): trees, depth, leaves; and features of a small table.
DEFAULT_TREES = {"catboost": 1000.0, "h2o": 50.0}
DEFAULT_TREES_OF_OTHERS, DEFAULT_DEPTH, DEFAULT_FEATURES = 100.0, 6.0, 10.0
DEFAULT_LEAVES = 31.0
#: Requests per second and physical core of a web server that scores one row in Python.
REQUESTS_PER_CORE = 400.0

NUMBER = r"\b(\d+(?:,\d{3})*(?:\.\d+)?(?: ?k\b)?)"
TREES = (
    rf"{NUMBER} (?:boosting )?(?:trees|rounds|iterations|estimators)\b"
    rf"|\b(?:n_estimators|n_?rounds?|num_(?:boost_)?rounds?|iterations|ntrees)\W{{1,3}}{NUMBER}"
)
DEPTH = rf"depth\W{{0,3}}{NUMBER}"
LEAVES = rf"{NUMBER} leaves\b|leaves\W{{1,3}}{NUMBER}"
BINS = rf"{NUMBER} (?:histogram )?bins\b|(?:max_bins?|border_count)\W{{1,3}}{NUMBER}"
CLASSES = rf"{NUMBER}[ -]class(?:es)?\b"
FEATURES = rf"{NUMBER} (?:[a-z-]+ )?(?:features|columns)\b"
#: XGBoost took the exact method, or the approximate one for many rows, unless told otherwise; histograms from version 2.0 on
#: (release notes).
BEFORE_HISTOGRAMS = r"xgboost[ -]?v?[01]\.\d"
UNSAID_METHOD = (
    r"\b(?:tree[ _]?)?method (?:is )?not (?:stated|given|known)\b|\bdefault (?:tree[ _]?)?method\b"
)


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
        self._classes = column(cases, lambda c: max(_stated(CLASSES, c, 1.0), 1.0))
        self._leaves = column(cases, _leaves)
        self._cores = machines.cores
        self._labels = boosting_labels(machines.kinds, words(cases, _library))
        self._presorted = flags(cases, _is_presorted)
        self._table: dict[str, Array] = {
            "rows": column(cases, lambda c: c.input_tokens, 1e6),
            "features": column(cases, _features),
            "depth": column(cases, _depth),
            "bins": column(cases, lambda c: _stated(BINS, c, DEFAULT_BINS)),
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
        )
        latency = self._asked & np.char.startswith(self._metric, "latency_ms")
        out = np.where(latency, answered * 1e3, out)
        out = np.where(self._asked & (self._metric == "throughput_seq_s"), self._batch / answered, out)
        return np.where(self._metric == "requests_s", REQUESTS_PER_CORE * self._cores, out)


def _library(case: Case) -> str:
    return next((name for name in LIBRARIES if name in f"{case.library} {case.model_name}".lower()), "none")


def _features(case: Case) -> float:
    kinds = re.findall(r"(\d+) (?:categorical|numeric)\b(?! features)", case.note)
    return sum(map(float, kinds)) or _stated(FEATURES, case, DEFAULT_FEATURES)


def _rounds(case: Case) -> float:
    return _stated(TREES, case, DEFAULT_TREES.get(_library(case), DEFAULT_TREES_OF_OTHERS))


def _depth(case: Case) -> float:
    """Return the deepest level: where leaves alone are limited, that of an even tree of as many."""
    leaves = _stated(LEAVES, case, 0.0)
    return _stated(DEPTH, case, math.log2(leaves) if leaves > 1 else DEFAULT_DEPTH)


def _leaves(case: Case) -> float:
    """Return the most leaves of a tree; a row that states the depth alone has limited nothing else."""
    leaves = _stated(LEAVES, case, 0.0)
    usual = re.search(r"\bdefaults?\b", case.note) or not re.search(DEPTH, case.note)
    if not leaves and usual and _library(case) in LEAF_WISE_LIBRARIES:
        leaves = DEFAULT_LEAVES
    return float(min(leaves or math.inf, 2.0 ** _depth(case)))


def _is_presorted(case: Case) -> bool:
    text = f"{case.library} {case.note}".lower()
    if _library(case) != "xgboost" or "hist" in case.library:
        return False
    return bool(
        re.search(r"\b(?:exact|approx)\b", text)
        or (re.search(BEFORE_HISTOGRAMS, text) and re.search(UNSAID_METHOD, text))
    )


def _host_cores(instance_type: str) -> float:
    return _vcpus().get(instance_type.removeprefix("ml."), 2 * DEFAULT_HOST_CORES) / 2


@cache
def _vcpus() -> dict[str, int]:
    return {t.name.removeprefix("ml."): t.vcpus for t in load_catalog("us-east-1").instance_types}


def _stated(pattern: str, case: Case, default: float) -> float:
    found = re.search(pattern, case.note)
    if not found:
        return default
    digits = next(filter(None, found.groups())).replace(",", "")
    return float(digits.rstrip("k ")) * (1e3 if digits.endswith("k") else 1.0)
