"""Time to train gradient-boosted trees by histograms, and to answer with them.

Each level of each tree passes over all rows. Their values are added to histograms; siblings are subtracted, so half of the
additions are done. Then the rows are sorted into the next leaves, which takes as long however many features they have. Of
every leaf all bins are looked at, however few rows it has: that is most of the work of a wide table. A step costs a
synchronisation, and few rows keep few cores busy.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from sizewell.instance_selection.estimation.coefficients import Array, Flags, Labels

DECISIVE = ("bin_rate",)
#: Libraries that split one leaf after the other by default (LightGBM documentation, Features).
LEAF_WISE_LIBRARIES = frozenset({"lightgbm"})
#: Libraries of which a GPU builds the histograms alone: rows are sorted and splits found on the host, after a copy of the
#: histograms (LightGBM pull request 368, ``device_type=gpu``).
HOSTED_LIBRARIES = frozenset({"lightgbm"})
#: Libraries that grow one tree for all classes, with a vector in each leaf (CatBoost documentation, MultiClass).
VECTOR_LEAF_LIBRARIES = frozenset({"catboost"})
#: Rows that are handed to a core at once (``kPartitionBlockSize`` of XGBoost; 512 to 1,024 in LightGBM).
ROWS_PER_CORE = 2048.0
#: The bandwidth to which the rate of a GPU refers, bytes per second.
REFERENCE_BANDWIDTH = 300e9
#: The same of one core of a CPU (Broadwell and Skylake servers).
REFERENCE_BANDWIDTH_PER_CORE = 5e9
#: Gradient and curvature of a row in fp32. Below the root the rows of a leaf lie apart: each waits for the memory, once the
#: gradients of all rows do not fit in the last cache (36 MB and more on Xeon servers). A GPU has others to work on meanwhile.
GRADIENT_BYTES, CPU_CACHE_BYTES = 8.0, 36e6
#: What a core waits: 80 to 100 ns of latency, of which it overlaps four to five.
GATHER_NS = 20.0
#: Leaves of a tree that grows leaf by leaf, where its depth would allow more.
MAX_LEAVES = 512.0
#: Fewest rows of a leaf (``min_data_in_leaf`` of LightGBM).
ROWS_PER_LEAF = 20.0
#: Values that histograms tell apart (``max_bin`` of XGBoost and of LightGBM, ``border_count`` of CatBoost: 254 to 256).
DEFAULT_BINS = 256.0
#: Physical cores beside a GPU of which nothing is said: those of an instance with 16 vCPUs.
DEFAULT_HOST_CORES = 8.0
#: Two sums in fp64 for each bin of a leaf, or of its smaller sibling, that a GPU sends to its host over PCIe 3.0 x16, bytes per
#: second.
BIN_BYTES, COPY_BANDWIDTH = 16.0, 12e9
#: Cores that take as long to wait for one another as a step takes otherwise: each of them passes a barrier in turn.
CORES_OF_A_WAIT = 16.0
#: A visit to a node of a tree: every second branch is mispredicted, for 20 cycles, and a node in the second cache is 14 cycles
#: away (Fog, The microarchitecture of Intel, AMD and VIA CPUs); at 3 GHz.
NODE_S = (20 / 2 + 14) / 3e9


def boosting_labels(kinds: Sequence[str], libraries: Sequence[str]) -> Labels:
    """Return what the coefficients depend on; ``place`` is where rows are sorted and splits found."""
    return {
        "kind": tuple(kinds),
        "library": tuple(libraries),
        "place": tuple(
            "host" if kind == "cuda" and library in HOSTED_LIBRARIES else kind
            for kind, library in zip(kinds, libraries, strict=True)
        ),
    }


def training_seconds(
    k: Mapping[str, Array],
    labels: Labels,
    *,
    rows: float | Array,
    features: float | Array,
    rounds: float | Array,
    depth: float | Array,
    cores: Array,
    bandwidth: Array,
    classes: float | Array = 1.0,
    leaves: float | Array = np.inf,
    bins: float | Array = DEFAULT_BINS,
    host_cores: float | Array = DEFAULT_HOST_CORES,
    presorted: bool | Flags = False,
) -> Array:
    """Return the seconds of a training on a CPU or one GPU; ``labels`` are those of `boosting_labels`.

    ``cores`` of a CPU are physical ones, ``host_cores`` are those beside a GPU, ``bandwidth`` is in bytes per second. A
    ``presorted`` method builds no histograms: at each level it reads the gradient of each value of each column.
    """
    library, kind, place = (np.asarray(labels[name]) for name in ("library", "kind", "place"))
    leaf_wise, on_gpu = np.isin(library, tuple(LEAF_WISE_LIBRARIES)), kind == "cuda"
    leaves = np.minimum(np.where(leaf_wise, np.minimum(leaves, MAX_LEAVES), leaves), 2.0**depth)
    leaves = np.minimum(leaves, np.maximum(rows / ROWS_PER_LEAF, 2.0))
    # The average depth of a tree with this many leaves is at least this.
    depth = np.minimum(depth, np.log2(leaves))
    trees = rounds * classes
    passes = rows * trees * depth
    gpu = np.sqrt(bandwidth / REFERENCE_BANDWIDTH)
    busy = _shared(np.where(place == "host", host_cores, cores), rows / ROWS_PER_CORE, k)

    waits = np.where(
        place == "cuda", 0.0, GATHER_NS * GRADIENT_BYTES * rows / (GRADIENT_BYTES * rows + CPU_CACHE_BYTES)
    )
    sorting = passes * (k["row_ns"] + waits) * 1e-9 / np.where(place == "cuda", gpu, busy)

    memory = np.sqrt(bandwidth / np.maximum(cores, 1.0) / REFERENCE_BANDWIDTH_PER_CORE)
    adding = passes * features / 2 / (k["bin_rate"] * 1e9 * np.where(on_gpu, gpu, busy * memory))
    finders = _shared(np.where(place == "host", host_cores, cores), features, k)
    looked_at = trees * 2 * leaves * features * bins
    finding = looked_at * k["split_ns"] * 1e-9 / np.where(place == "cuda", gpu, finders)
    copying = np.where(place == "host", looked_at / 2 * BIN_BYTES / COPY_BANDWIDTH, 0.0)
    scanning = np.where(presorted & ~on_gpu, features * sorting, adding + finding + copying)

    grown = np.where(np.isin(library, tuple(VECTOR_LEAF_LIBRARIES)), rounds, trees)
    waiting = k["level_us"] * 1e-6 * np.where(on_gpu, 1.0, 1.0 + cores / CORES_OF_A_WAIT)
    return np.asarray(
        scanning
        + sorting
        + grown * np.where(leaf_wise, leaves, depth) * waiting
        + rows * features * k["setup_ns"] * 1e-9
    )


def answer_seconds(
    *, rows: float | Array, trees: float | Array, depth: float | Array, cores: float | Array = 1.0
) -> Array:
    """Return the seconds in which a CPU answers a batch: each row takes a branch at every level of every tree."""
    return np.asarray(rows * trees * depth * NODE_S / np.minimum(cores, np.maximum(rows, 1.0)))


def _shared(cores: Array, parts: float | Array, k: Mapping[str, Array]) -> Array:
    """Return how many times faster the cores are than one core, for a work with this many parts (Amdahl's law)."""
    busy = np.minimum(cores, np.maximum(parts, 1.0))
    # Histograms of all threads are added up by few of them.
    return np.asarray(busy / (1 + k["serial"] * (busy - 1)))
