"""Rows of boosted trees: what their columns say of the trees."""

from collections.abc import Mapping

import pytest

from sizewell.instance_selection.catalog import load_catalog
from sizewell.instance_selection.estimation.boosting import NODE_CYCLES
from sizewell.instance_selection.estimation.processors import TURBO_EXPONENT
from tools.benchmarks.predictions import predict_rows

CATALOG = load_catalog("us-east-1")
TRAINED = {
    "task": "training", "model": "xgboost", "architecture": "gbdt", "accelerator": "Xeon Platinum 8275CL (16 cores)",
    "accelerator_count": "1", "input_len": "1000000", "framework": "XGBoost 2.1", "metric": "train_time_s",
    "source_id": "S", "rounds": "100", "depth": "8", "features": "2000",
}  # fmt: skip
LEAF_WISE = {**TRAINED, "model": "lightgbm", "framework": "LightGBM 4.5"}
ON_A_GPU = {**LEAF_WISE, "accelerator": "A10G", "aws_instance": "ml.g5.4xlarge"}
ANSWERED = {
    **TRAINED, "task": "inference", "input_len": "", "batch_size": "1000", "metric": "latency_ms_avg",
    "rounds": "500", "depth": "8", "parallelism": "1 thread",
}  # fmt: skip
Row = Mapping[str, str]


def value(row: Row, **columns: str) -> float:
    (found,) = predict_rows([{**row, **columns}], CATALOG)
    assert found.predicted is not None, found.reason
    return found.predicted


def test_a_library_grows_what_it_grows_by_default_where_nothing_is_said() -> None:
    unsaid = {"rounds": "", "depth": "", "features": ""}
    assert value(TRAINED, **unsaid) == value(TRAINED, rounds="100", depth="6", features="10")
    assert value(LEAF_WISE, **unsaid) == value(LEAF_WISE, rounds="100", depth="", features="10", leaves="31")
    catboost = {**TRAINED, "model": "catboost", "framework": "CatBoost"}
    assert value(catboost, **unsaid) == value(catboost, rounds="1000", depth="6", features="10")


def test_a_depth_alone_limits_nothing_else_and_leaves_are_no_more_than_it_allows() -> None:
    assert value(LEAF_WISE) == value(LEAF_WISE, leaves="256") > value(LEAF_WISE, leaves="31")
    assert value(LEAF_WISE, depth="4", leaves="31") == value(LEAF_WISE, depth="4", leaves="16")
    # Leaves alone are those of an even tree.
    assert value(TRAINED, depth="", leaves="32") == value(TRAINED, depth="5", leaves="32")


@pytest.mark.parametrize(
    ("row", "more"),
    [
        ({**LEAF_WISE, "input_len": "20000", "features": "5000", "bins": "63"}, {"bins": ""}),
        (TRAINED, {"classes": "5"}),
        (TRAINED, {"rounds": "200"}),
        ({**TRAINED, "features": "10"}, {"features": "10", "tree_method": "exact"}),
        ({**TRAINED, "features": "10"}, {"features": "10", "tree_method": "approx"}),
        ({**LEAF_WISE, "depth": "8", "leaves": "31"}, {"leaves": ""}),
    ],
)
def test_more_work_takes_longer(row: Row, more: dict[str, str]) -> None:
    assert value(row, **more) > 1.2 * value(row)


def test_cores_beside_a_gpu_count_where_the_host_sorts_rows() -> None:
    small = {**ON_A_GPU, "features": "10"}

    assert value(small) > value(small, aws_instance="ml.g5.16xlarge")
    large = {**small, "model": "xgboost", "framework": "XGBoost 2.1", "aws_instance": "ml.g5.16xlarge"}
    assert value(large) == value(large, aws_instance="ml.g5.4xlarge")


def test_a_batch_is_answered_by_the_threads_of_a_cpu() -> None:
    latency_ms = value(ANSWERED)

    # 1,000 rows x 500 trees x 8 levels, by one of 16 cores of 3.6 GHz, and by four.
    cycles = 1000 * 500 * 8 * NODE_CYCLES
    assert latency_ms == pytest.approx(cycles / (3.6e6 * 16**TURBO_EXPONENT))
    assert value(ANSWERED, parallelism="4 threads") == pytest.approx(cycles / 4 / (3.6e6 * 4**TURBO_EXPONENT))
    assert value(ANSWERED, metric="throughput_seq_s") == pytest.approx(1000 / latency_ms * 1000)
    (found,) = predict_rows([{**ANSWERED, "accelerator": "A10G"}], CATALOG)
    assert found.predicted is None
