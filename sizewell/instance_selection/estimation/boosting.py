"""Time to train gradient-boosted trees by histograms, and to answer with them.

Each level of each tree passes over all rows. Their values are added to histograms; siblings are subtracted, so half of the
additions are done. Then the rows are sorted into the next leaves, which takes as long however many features they have. A step
looks at all bins for the best split, however few rows it has: that is most of the work of a wide table. Cores share this work,
each as fast as its clock and its generation make it; a GPU does that of so many cores. Between steps all wait for the last.

Libraries differ less than their publishers' settings do: publishers that the fit had not seen are predicted no better with
coefficients for each library.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from sizewell.instance_selection.estimation.coefficients import Array, Flags, Labels

DECISIVE = ("bin_ns",)
#: Libraries that split one leaf after the other by default (LightGBM documentation, Features).
LEAF_WISE_LIBRARIES = frozenset({"lightgbm"})
#: Libraries of which a GPU builds the histograms alone: rows are sorted and splits found on the host (LightGBM pull request
#: 368, ``device_type=gpu``).
HOSTED_LIBRARIES = frozenset({"lightgbm"})
#: Libraries that grow one tree for all classes, with a vector in each leaf (CatBoost documentation, MultiClass).
VECTOR_LEAF_LIBRARIES = frozenset({"catboost"})
#: The core to which the coefficients refer: one of a Skylake server at this clock.
REFERENCE_GHZ = 3.0
#: The bandwidth to which the rate of a GPU refers, bytes per second.
REFERENCE_BANDWIDTH = 300e9
#: Gradient and curvature of a row in fp32. Below the root the rows of a leaf lie apart: each waits for the memory, once the
#: gradients of all rows do not fit in the last cache (36 MB and more on Xeon servers). A GPU has others to work on meanwhile.
GRADIENT_BYTES, CPU_CACHE_BYTES = 8.0, 36e6
#: What a core waits, at any clock: 80 to 100 ns of latency, of which it overlaps four to five.
GATHER_NS = 20.0
#: Leaves of a tree that grows leaf by leaf, where its depth would allow more.
MAX_LEAVES = 512.0
#: Fewest rows of a leaf (``min_data_in_leaf`` of LightGBM).
ROWS_PER_LEAF = 20.0
#: Values that histograms tell apart (``max_bin`` of XGBoost and of LightGBM, ``border_count`` of CatBoost: 254 to 256).
DEFAULT_BINS = 256.0
#: Physical cores beside a GPU of which nothing is said: those of an instance with 16 vCPUs.
DEFAULT_HOST_CORES = 8.0
#: Cores that take as long to wait for one another as a step takes otherwise: each of them passes a barrier in turn.
CORES_OF_A_WAIT = 16.0
#: What a core of a second socket adds to those of the first: a tree is shared by all of them, and its histograms lie with one
#: (XGBoost pull request 5156: 48 cores of two sockets are 8 to 17 % faster than 24 of one; LightGBM issue 4631: slower).
CORE_OF_ANOTHER_SOCKET = 0.25
#: What the wait after one leaf is of that after a level, which starts a loop for each of its leaves (szilard/GBM-perf, 100,000
#: rows on 16 cores: 30 us a leaf of LightGBM, 240 us a level of XGBoost; likewise on GPUs).
WAIT_OF_A_LEAF = 0.15
#: A visit to a node of a tree: every second branch is mispredicted, for 20 cycles, and a node in the second cache is 14 cycles
#: away (Fog, The microarchitecture of Intel, AMD and VIA CPUs).
NODE_CYCLES = 20 / 2 + 14


def boosting_labels(kinds: Sequence[str], libraries: Sequence[str]) -> Labels:
    """Return which kind of processor trains, and by which library."""
    return {"kind": tuple(kinds), "library": tuple(libraries)}


def training_seconds(
    k: Mapping[str, Array],
    labels: Labels,
    *,
    rows: float | Array,
    features: float | Array,
    rounds: float | Array,
    depth: float | Array,
    cores: Array,
    core_ghz: Array,
    socket_cores: Array,
    bandwidth: Array,
    classes: float | Array = 1.0,
    leaves: float | Array = np.inf,
    bins: float | Array = DEFAULT_BINS,
    host_cores: float | Array = DEFAULT_HOST_CORES,
    presorted: bool | Flags = False,
) -> Array:
    """Return the seconds of a training on a CPU or one GPU; ``labels`` are those of `boosting_labels`.

    ``cores`` of a CPU are physical ones, ``core_ghz`` is their clock as that of a Skylake core and ``socket_cores`` are those of
    a socket (`Machines`). ``host_cores`` are those beside a GPU, ``bandwidth`` is that of a GPU in bytes per second. A
    ``presorted`` method builds no histograms: at each level it reads the gradient of each value of each column.
    """
    kind, library = (np.asarray(labels[name]) for name in ("kind", "library"))
    on_gpu, leaf_wise = kind == "cuda", np.isin(library, tuple(LEAF_WISE_LIBRARIES))
    hosted = on_gpu & np.isin(library, tuple(HOSTED_LIBRARIES))
    leaves = np.minimum(np.where(leaf_wise, np.minimum(leaves, MAX_LEAVES), leaves), 2.0**depth)
    leaves = np.minimum(leaves, np.maximum(rows / ROWS_PER_LEAF, 2.0))
    # The average depth of a tree with this many leaves is at least this.
    depth = np.minimum(depth, np.log2(leaves))
    trees = rounds * classes
    passes = rows * trees * depth

    gpu = k["gpu_cores"] * np.sqrt(bandwidth / REFERENCE_BANDWIDTH)
    speed = np.where(on_gpu, 1.0, core_ghz / REFERENCE_GHZ)
    near = np.minimum(cores, socket_cores)
    cpu = speed * _shared(
        np.where(on_gpu, host_cores, near + CORE_OF_ANOTHER_SOCKET * (cores - near)), k["serial"]
    )
    adder, sorter = np.where(on_gpu, gpu, cpu), np.where(on_gpu & ~hosted, gpu, cpu)

    gathered = GRADIENT_BYTES * rows / (GRADIENT_BYTES * rows + CPU_CACHE_BYTES)
    waits = np.where(on_gpu & ~hosted, 0.0, GATHER_NS * gathered * speed)
    sorting = passes * (k["row_ns"] + waits) / sorter
    adding = passes * features / 2 * k["bin_ns"] / adder
    # A parent's histogram and that of its smaller child; the leaves of a level are looked at side by side.
    finding = trees * 2 * np.where(leaf_wise, leaves, depth) * features * bins * k["split_ns"] / sorter
    scanning = np.where(presorted & ~on_gpu, features * sorting, adding + finding)

    grown = np.where(np.isin(library, tuple(VECTOR_LEAF_LIBRARIES)), rounds, trees)
    levels = grown * np.where(leaf_wise, WAIT_OF_A_LEAF * leaves, depth)
    waiting = np.where(on_gpu, k["launch_us"], k["level_us"] * (1.0 + cores / CORES_OF_A_WAIT) / speed)
    return np.asarray((scanning + sorting) * 1e-9 + levels * waiting * 1e-6)


def answer_seconds(
    *,
    rows: float | Array,
    trees: float | Array,
    depth: float | Array,
    cores: float | Array = 1.0,
    core_ghz: float | Array = REFERENCE_GHZ,
) -> Array:
    """Return the seconds in which a CPU answers a batch: each row takes a branch at every level of every tree."""
    node_s = NODE_CYCLES / (core_ghz * 1e9)
    return np.asarray(rows * trees * depth * node_s / np.minimum(cores, np.maximum(rows, 1.0)))


def _shared(cores: Array, serial: Array) -> Array:
    """Return how many times faster the cores are than one core, of whose work a part is serial (Amdahl's law)."""
    # Histograms of all threads are added up by few of them.
    return np.asarray(cores / (1 + serial * (cores - 1)))
