"""The shipped coefficients stay within a factor of two of well-known published figures of every physics."""

import math
from pathlib import Path

from sizewell.instance_selection.catalog import load_catalog
from tools.benchmarks.completion import read_table
from tools.benchmarks.predictions import predict_rows

#: Each row names its source.
POINTS = Path(__file__).with_name("published_points.csv")


def test_every_published_point_is_predicted_within_a_factor_of_two() -> None:
    predictions = predict_rows(read_table(POINTS), load_catalog("us-east-1"))
    assert {one.physics for one in predictions} == {"forward", "generation", "training", "boosting"}
    assert [
        (one.source, one.metric, one.measured, one.predicted)
        for one in predictions
        if one.log_ratio is None or abs(one.log_ratio) > math.log(2.0)
    ] == []
