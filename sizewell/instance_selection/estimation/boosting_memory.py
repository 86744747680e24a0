"""Memory of the training of gradient-boosted trees: an upper bound of what lies on one GPU, and in its host, in bytes."""

from collections.abc import Mapping
from types import MappingProxyType

from sizewell.instance_selection.estimation.boosting import DEFAULT_BINS, MAX_LEAVES

#: Bytes of the values of a table in host memory while trees are trained on it: fp32, and a copy of XGBoost with its columns:
#: 24 GB for 2 x 10^9 values (XGBoost issue 7527). Copies of CatBoost take three times the table (CatBoost issue 2218).
HOST_VALUE_BYTES = 12.0
#: Bytes on a GPU for each value and for each row.
#:
#: XGBoost packs bins to the bits that all of them need, of at most two and a half bytes, and sketches quantiles beside them:
#: 9 million rows of 500 features are the most on 16 GiB (Ou 2020, arXiv 2005.09148, table 1), and 24 GB are too few for a
#: million of 6,500 (issue 9366). Gradients, positions and predictions of a row: 2,077 MB on each of four GPUs for 10^8 rows of 8
#: features (GBM-perf issue 14).
#:
#: LightGBM holds bins by column and by row: 8,900 MB for 41,865,312 rows of 88 features (LightGBM issue 6319).
#:
#: CatBoost: nobody says how many features are categories. Each of these has four statistics of four bits under each of four
#: permutations of the rows, beside its own value (catboost.ai, simple_ctr, permutation_count): 10^8 rows of 8 features
#: do not fit on 16 GiB (GBM-perf issue 14).
GPU_BYTES: Mapping[str, tuple[float, float]] = MappingProxyType(
    {"xgboost": (3.5, 40.0), "lightgbm": (2.0, 36.0), "catboost": (9.5, 90.0)}
)
#: Two sums in fp64 for each bin of a leaf.
BIN_BYTES = 16.0
#: Libraries whose trees are even: every level is split, however few rows there are.
EVEN_TREE_LIBRARIES = frozenset({"catboost"})


def host_table_bytes(*, rows: float, features: float) -> float:
    """Return what a table takes in host memory while a model is trained on it."""
    return rows * features * HOST_VALUE_BYTES


def gpu_training_bytes(
    library: str, *, rows: float, features: float, depth: float, bins: float = DEFAULT_BINS
) -> float:
    """Return what a training takes on a GPU, beside its context; a library that is not known is taken for XGBoost."""
    value_bytes, row_bytes = GPU_BYTES.get(library, GPU_BYTES["xgboost"])
    leaves: float = 2.0**depth
    if library not in EVEN_TREE_LIBRARIES:
        leaves = min(leaves, MAX_LEAVES, rows)
    return rows * (features * value_bytes + row_bytes) + leaves * features * bins * BIN_BYTES
