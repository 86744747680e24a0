"""Chips, engines and models that no calibrated measurement has seen are estimated within a factor of two."""

import math
from pathlib import Path

import pytest

from sizewell.instance_selection.catalog import load_catalog
from tools.benchmarks.completion import read_table
from tools.benchmarks.predictions import Prediction, predict_rows

#: Each row names its source.
POINTS = Path(__file__).with_name("plausible_points.csv")


@pytest.fixture(scope="module")
def predictions() -> list[Prediction]:
    return list(predict_rows(read_table(POINTS), load_catalog("us-east-1")))


def test_every_figure_is_met_within_a_factor_of_two(predictions: list[Prediction]) -> None:
    assert [
        (one.source, one.metric, one.measured, one.predicted)
        for one in predictions
        if one.log_ratio is None or abs(one.log_ratio) > math.log(2.0)
    ] == []


def test_no_record_is_beaten_by_more_than_a_tenth(predictions: list[Prediction]) -> None:
    records = [one for one in predictions if one.source.startswith("MLPerf")]
    assert records
    assert [one for one in records if (one.predicted or 0.0) > 1.1 * (one.measured or 0.0)] == []
