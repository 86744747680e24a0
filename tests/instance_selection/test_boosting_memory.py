"""What the training of boosted trees needs on a GPU and in its host: published figures, and what a selection makes of them."""

from dataclasses import replace

import pytest

from sizewell.instance_selection import Catalog, NoFeasibleInstanceError, select_training_instance
from sizewell.instance_selection.estimation.boosting_memory import gpu_training_bytes, host_table_bytes
from sizewell.instance_selection.estimation.hardware import GIB
from sizewell.instance_selection.estimation.memory import CONTEXT_BYTES
from tests.instance_selection.builders import TREES, catalog, gpu_instance, training


@pytest.mark.parametrize(
    ("library", "rows", "features", "depth", "gigabytes"),
    [
        ("xgboost", 1e6, 2000, 6, 6.0),  # dmlc/xgboost, issue 7527
        ("xgboost", 25e6, 8, 8, 2.077),  # szilard/GBM-perf, issue 14: each of four GPUs
        ("lightgbm", 41_865_312, 88, 6, 8.9),  # lightgbm-org/LightGBM, issue 6319
    ],
)
def test_a_table_takes_little_more_on_a_gpu_than_was_measured(
    library: str, rows: float, features: float, depth: float, gigabytes: float
) -> None:
    context_gb = CONTEXT_BYTES / 1e9
    bound = gpu_training_bytes(library, rows=rows, features=features, depth=depth) / 1e9 + context_gb

    assert gigabytes < bound < 1.4 * gigabytes


def test_the_most_rows_of_500_features_that_a_v100_holds() -> None:
    """9 million fit, 10 do not (Ou 2020, Out-of-Core GPU Gradient Boosting, table 1); CUDA reports 15.8 GiB."""
    fit, too_many = (gpu_training_bytes("xgboost", rows=rows, features=500, depth=6) for rows in (9e6, 10e6))

    assert fit + 0.5 * GIB < 15.8 * GIB < too_many + 0.5 * GIB


def test_histograms_grow_with_leaves_as_far_as_there_are_any() -> None:
    def histograms(library: str, *, depth: float, rows: float = 1e6) -> float:
        return gpu_training_bytes(library, rows=rows, features=100, depth=depth) - gpu_training_bytes(
            library, rows=rows, features=100, depth=0
        )

    assert histograms("xgboost", depth=7) == pytest.approx(127 * 100 * 256 * 16)
    assert histograms("xgboost", depth=7, rows=32) == pytest.approx(31 * 100 * 256 * 16)
    # CatBoost splits every level, and fails at depth 16 of 744 rows (catboost, issue 1081).
    assert histograms("catboost", depth=16, rows=744) > 8e9


def test_a_host_holds_the_table_and_the_copy_of_the_library() -> None:
    # dmlc/xgboost, issue 7527: 24 GB.
    assert host_table_bytes(rows=1e6, features=2000) == 24e9


def test_a_table_that_fills_a_gpu_is_refused_for_the_gpu_and_one_that_fills_the_host_for_the_host() -> None:
    needs = training(model=replace(TREES, framework="catboost", features=8), deadline_hours=1e6)
    card = gpu_instance("ml.card.xlarge", accelerator_memory_gib=16.0, memory_gib=64.0)
    known = catalog(card, usd_per_hour={card.name: 1.0})

    fitting = select_training_instance(replace(needs, units=5e7), known).chosen.estimate.memory
    assert fitting.usable_gib == pytest.approx(16 * 0.92)
    assert fitting.needed_gib == pytest.approx(
        gpu_training_bytes("catboost", rows=5e7, features=8, depth=TREES.tree_depth) / GIB + 0.5
    )
    with pytest.raises(NoFeasibleInstanceError) as raised:
        select_training_instance(replace(needs, units=1e8), known)
    assert raised.value.nearest[0].reason.endswith("GiB on each accelerator, which offers 14.7")

    wide = replace(needs, model=replace(TREES, framework="lightgbm", features=1000), units=1e7)
    tiny_host = gpu_instance("ml.card.xlarge", accelerator_memory_gib=80.0, memory_gib=64.0)
    with pytest.raises(NoFeasibleInstanceError) as raised:
        select_training_instance(wide, catalog(tiny_host, usd_per_hour={tiny_host.name: 1.0}))
    assert raised.value.nearest[0].reason.endswith("GiB of host memory, which offers 54.4")


def test_a_hundred_million_rows_do_not_train_on_16_gib_with_catboost(real_catalog: Catalog) -> None:
    """szilard/GBM-perf, issue 14: out of memory on a V100; a T4 has as much."""
    trees = replace(TREES, framework="catboost", features=8, tree_depth=10)
    needs = training(model=trees, units=1e8, deadline_hours=1e6)

    found = select_training_instance(needs, real_catalog)

    refused = {rejected.instance_type: rejected.filter for rejected in found.rejected}
    assert refused.get("ml.g4dn.2xlarge") == "memory"
