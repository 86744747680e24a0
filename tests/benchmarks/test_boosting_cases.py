"""Rows of boosted trees: what their notes say of the trees, in whatever words."""

from collections.abc import Mapping

import pytest

from sizewell.instance_selection.catalog import load_catalog
from tools.benchmarks.predictions import predict_rows

CATALOG = load_catalog("us-east-1")
TRAINED = {
    "task": "training", "model": "xgboost", "architecture": "gbdt", "accelerator": "Xeon Platinum 8275CL (16 cores)",
    "accelerator_count": "1", "input_len": "1000000", "framework": "XGBoost 2.1", "metric": "train_time_s",
    "source_id": "S", "note": "100 trees, depth 8, 2000 features",
}  # fmt: skip
LEAF_WISE = {**TRAINED, "model": "lightgbm", "framework": "LightGBM 4.5"}
ON_A_GPU = {**LEAF_WISE, "accelerator": "A10G", "aws_instance": "ml.g5.4xlarge"}
ANSWERED = {
    **TRAINED, "task": "inference", "input_len": "", "batch_size": "1000", "metric": "latency_ms_avg",
    "note": "500 trees, depth 8", "parallelism": "1 thread",
}  # fmt: skip
Row = Mapping[str, str]


def value(row: Row, **columns: str) -> float:
    (found,) = predict_rows([{**row, **columns}], CATALOG)
    assert found.predicted is not None, found.reason
    return found.predicted


@pytest.mark.parametrize(
    ("row", "note", "usual"),
    [
        (TRAINED, "100 rounds, max_depth=8, 2,000 features", "100 trees, depth 8, 2000 features"),
        (TRAINED, "n_estimators=100, depth: 8, 2k columns", "100 trees, depth 8, 2000 features"),
        (TRAINED, "num_boost_round 100, depth 8, 2000 dense features", "100 trees, depth 8, 2000 features"),
        (TRAINED, "1k iterations", "1,000 boosting rounds"),
        (TRAINED, "100 trees, max_bin 63, 10 features", "100 trees, 63 bins, 10 features"),
        (TRAINED, "100 trees, 7 classes", "a 7-class problem, 100 trees"),
        (TRAINED, "100 trees, depth 8, default parameters", "100 trees, depth 8"),
        (LEAF_WISE, "100 trees, num_leaves 63", "100 trees, 63 leaves"),
        (LEAF_WISE, "100 trees", "100 trees, 31 leaves"),
        (LEAF_WISE, "100 trees, depth 8, other parameters default", "100 trees, depth 8, 31 leaves"),
        (LEAF_WISE, "100 trees, depth 4, 31 leaves", "100 trees, depth 4, 16 leaves"),
        (TRAINED, "100 trees, 31 leaves, 28 features", "100 trees, depth 6, 31 leaves, 28 features"),
    ],
)
def test_other_words_give_the_same_prediction(row: Row, note: str, usual: str) -> None:
    assert value(row, note=note) == pytest.approx(value(row, note=usual), rel=0.02)


@pytest.mark.parametrize(
    ("row", "less", "more"),
    [
        (LEAF_WISE, "100 trees, depth 8, 31 leaves", "100 trees, depth 8"),
        ({**TRAINED, "input_len": "20000"}, "100 trees, 63 bins, 5000 features", "100 trees, 5000 features"),
        (TRAINED, "100 trees", "100 trees, 5 classes"),
    ],
)
def test_words_that_mean_more_work_take_longer(row: Row, less: str, more: str) -> None:
    assert value(row, note=more) > 1.2 * value(row, note=less)


@pytest.mark.parametrize(
    ("framework", "note", "presorted"),
    [
        ("XGBoost 1.2", "tree_method not stated", True),
        ("XGBoost 0.90", "default tree method", True),
        ("XGBoost 2.1", "tree_method not stated", False),
        ("XGBoost 3.1", "exact method", True),
        ("XGBoost 1.2, hist", "tree_method not stated", False),
        ("XGBoost 1.2", "", False),
    ],
)
def test_old_versions_built_no_histograms_unless_told_to(framework: str, note: str, presorted: bool) -> None:
    said = f"100 trees, depth 8, 10 features; {note}"
    usual = value(TRAINED, note="100 trees, depth 8, 10 features")

    assert (value(TRAINED, framework=framework, note=said) > 1.5 * usual) == presorted


def test_cores_beside_a_gpu_count_where_the_host_sorts_rows() -> None:
    note = "100 trees, depth 8, 10 features"

    assert value(ON_A_GPU, note=note) > value(ON_A_GPU, note=note, aws_instance="ml.g5.16xlarge")
    large = {**ON_A_GPU, "model": "xgboost", "framework": "XGBoost 2.1", "aws_instance": "ml.g5.16xlarge"}
    assert value(large, note=note) == value(large, note=note, aws_instance="ml.g5.4xlarge")


def test_a_batch_is_answered_by_the_threads_of_a_cpu() -> None:
    latency_ms = value(ANSWERED)

    # 1,000 rows x 500 trees x 8 levels of 8 ns.
    assert latency_ms == pytest.approx(32.0)
    assert value(ANSWERED, parallelism="4 threads") == pytest.approx(8.0)
    assert value(ANSWERED, metric="throughput_seq_s") == pytest.approx(1000 / latency_ms * 1000)
    (found,) = predict_rows([{**ANSWERED, "accelerator": "A10G"}], CATALOG)
    assert found.predicted is None
