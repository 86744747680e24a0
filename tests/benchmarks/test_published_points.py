"""The shipped coefficients stay within a factor of two of published figures: of every physics, and of unseen hardware."""

import math
from pathlib import Path

import pytest

from sizewell.instance_selection.catalog import load_catalog
from tools.benchmarks.completion import read_table
from tools.benchmarks.predictions import Prediction, predict_rows

#: Each row names its source; those of the second table have chips, engines or models that no calibrated measurement has seen.
PUBLISHED, UNSEEN = (
    Path(__file__).with_name(name) for name in ("published_points.csv", "plausible_points.csv")
)


def predictions(table: Path) -> list[Prediction]:
    return list(predict_rows(read_table(table), load_catalog("us-east-1")))


@pytest.mark.parametrize("table", [PUBLISHED, UNSEEN], ids=lambda table: table.stem)
def test_every_point_is_predicted_within_a_factor_of_two(table: Path) -> None:
    assert [
        (one.source, one.metric, one.measured, one.predicted)
        for one in predictions(table)
        if one.log_ratio is None or abs(one.log_ratio) > math.log(2.0)
    ] == []


def test_every_physics_has_points() -> None:
    assert {one.physics for one in predictions(PUBLISHED)} == {
        "forward",
        "generation",
        "training",
        "boosting",
    }


def test_no_record_is_beaten_by_more_than_a_tenth() -> None:
    records = [one for one in predictions(UNSEEN) if one.source.startswith("MLPerf")]
    assert records
    assert [one for one in records if (one.predicted or 0.0) > 1.1 * (one.measured or 0.0)] == []
