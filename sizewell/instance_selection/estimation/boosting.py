"""Time to train gradient-boosted trees by histograms.

Each level of each tree passes over all rows and features and adds to histograms; siblings are subtracted, so half
of the passes are done. A level costs a synchronisation, however few rows there are, and few rows keep few cores busy.
"""

from collections.abc import Mapping

import numpy as np

from sizewell.instance_selection.estimation.coefficients import Array

DECISIVE = ("bin_rate",)
#: Libraries that split one leaf after the other by default (LightGBM documentation, Features).
LEAF_WISE_LIBRARIES = frozenset({"lightgbm"})
#: Rows that keep one more core busy.
ROWS_PER_CORE = 2e4
#: The bandwidth to which the rate of a GPU refers, bytes per second.
REFERENCE_BANDWIDTH = 300e9
#: The same of one core of a CPU (Broadwell and Skylake servers).
REFERENCE_BANDWIDTH_PER_CORE = 5e9
#: Gradient and curvature of a row in fp32. Below the root the rows of a leaf lie apart: each costs a line of the cache,
#: once the gradients of all rows do not fit in the last cache (36 MB and more on Xeon servers). A GPU copies them together.
GRADIENT_BYTES, CACHE_LINE_BYTES, CPU_CACHE_BYTES = 8.0, 64.0, 36e6
#: Share of the bandwidth that reading single lines reaches.
GATHER_SHARE = 0.25
#: Leaves of a tree that grows leaf by leaf, where its depth would allow more.
MAX_LEAVES = 512.0


def training_seconds(
    k: Mapping[str, Array],
    *,
    rows: float | Array,
    features: float | Array,
    trees: float | Array,
    depth: float | Array,
    kinds: tuple[str, ...],
    cores: Array,
    bandwidth: Array,
    leaf_wise: bool | Array = False,
) -> Array:
    """Return the seconds of a training; ``cores`` of a CPU are physical ones, ``bandwidth`` is in bytes per second.

    ``leaf_wise`` libraries split one leaf after the other, so that a tree takes as many steps as it has leaves.
    """
    updates = rows * features * trees * depth / 2
    busy_cores = np.minimum(cores, np.maximum(rows / ROWS_PER_CORE, 1.0))
    # Amdahl's law: histograms of all threads are added up, and splits are found, by few of them.
    busy_cores = busy_cores / (1 + k["serial"] * (busy_cores - 1))
    memory = np.sqrt(bandwidth / np.maximum(cores, 1.0) / REFERENCE_BANDWIDTH_PER_CORE)
    width = np.where(
        np.asarray(kinds) == "cuda", np.sqrt(bandwidth / REFERENCE_BANDWIDTH), busy_cores * memory
    )
    gradients = GRADIENT_BYTES * rows
    gathered = CACHE_LINE_BYTES * rows * trees * depth / 2 * gradients / (gradients + CPU_CACHE_BYTES)
    gathering = np.where(np.asarray(kinds) == "cuda", 0.0, gathered / (bandwidth * GATHER_SHARE))
    steps = np.where(leaf_wise, np.minimum(2.0**depth, MAX_LEAVES), depth)
    return np.asarray(
        updates / (k["bin_rate"] * 1e9 * width)
        + gathering
        + trees * steps * k["level_us"] * 1e-6
        + rows * features * k["setup_ns"] * 1e-9
    )
