"""The shipped coefficients stay within a factor of two of published figures: of every physics, and of unseen hardware."""

import math
from pathlib import Path

import pytest

from sizewell.instance_selection.catalog import load_catalog
from tools.benchmarks.predictions import Prediction, predict_rows
from tools.benchmarks.tables import read_table

#: Each row names its source; those of the second table have chips, engines or models that no calibrated measurement has seen.
PUBLISHED, UNSEEN = (
    Path(__file__).with_name(name) for name in ("published_points.csv", "plausible_points.csv")
)


def predictions(table: Path) -> list[Prediction]:
    return list(predict_rows(read_table(table), load_catalog("us-east-1")))


@pytest.mark.parametrize("table", [PUBLISHED, UNSEEN], ids=lambda table: table.stem)
def test_every_point_is_predicted_within_a_factor_of_two(table: Path) -> None:
    assert [
        (row.source, row.metric, row.measured, row.predicted)
        for row in predictions(table)
        if row.log_ratio is None or abs(row.log_ratio) > math.log(2.0)
    ] == []


def test_every_physics_has_points() -> None:
    assert {row.physics for row in predictions(PUBLISHED)} == {
        "forward",
        "generation",
        "training",
        "boosting",
    }


def test_no_record_is_beaten_by_more_than_a_tenth() -> None:
    records = [row for row in predictions(UNSEEN) if row.source.startswith("MLPerf")]
    assert records
    assert [row for row in records if (row.predicted or 0.0) > 1.1 * (row.measured or 0.0)] == []
