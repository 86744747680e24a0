import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizewell.instance_selection.catalog import load_catalog
from sizewell.instance_selection.estimation.uncertainty import (
    ANY,
    Spread,
    log_half_width,
)
from tests.benchmarks.measured_rows import ENCODER
from tools.benchmarks.intervals import MIN_ROWS, spreads_of, with_intervals
from tools.benchmarks.predictions import Prediction, predict_rows


def predictions(
    source: str, spread: float, count: int = 40, kind: str = "cuda", architecture: str = "encoder"
) -> list[Prediction]:
    ratios = np.exp(np.linspace(-spread, spread, count))
    return [
        Prediction(
            id=f"{source}{i}",
            source=source,
            metric="latency_ms_avg",
            accelerator="T4",
            measured=float(10 * ratio),
            predicted=10.0,
            physics="forward",
            kind=kind,
            architecture=architecture,
        )
        for i, ratio in enumerate(ratios)
    ]


def test_the_interval_of_a_source_comes_from_all_others() -> None:
    rows = predictions("calm", 0.3) + predictions("also-calm", 0.3) + predictions("wild", 2.0)
    found = with_intervals(rows, leave_one_source_out=True)
    calm, wild = found[0], found[-1]
    assert wild.high is not None
    assert wild.high / 10 < 1.4
    assert calm.high is not None
    assert calm.high / 10 > 2


def test_no_interval_is_narrower_than_sources_agree() -> None:
    (spread, *_) = spreads_of(predictions("a", 0.01) + predictions("b", 0.01)).values()
    assert spread.log_half_width == pytest.approx(math.log(1.2))


def test_a_source_with_many_rows_counts_like_one_with_few() -> None:
    few = spreads_of(predictions("a", 0.1, 40) + predictions("b", 1.0, 40))
    many = spreads_of(predictions("a", 0.1, 4000) + predictions("b", 1.0, 40))
    key = ("forward", "cuda", "encoder")
    assert many[key].log_half_width == pytest.approx(few[key].log_half_width, rel=0.1)


def test_tuned_records_do_not_widen_what_users_get() -> None:
    rows = predictions("a", 0.3) + predictions("b", 0.3)
    records = [replace(one, tuned_record=True) for one in predictions("c", 2.0)]
    assert spreads_of(rows + records) == spreads_of(rows)


def test_a_class_of_few_rows_or_one_source_falls_back_to_a_wider_one() -> None:
    rows = predictions("a", 0.5) + predictions("b", 0.5) + predictions("c", 1.0, MIN_ROWS - 1, "cpu")
    found = spreads_of(rows)
    assert ("forward", "cpu", ANY) not in found
    assert spreads_of(predictions("a", 0.5)) == {}
    assert (
        log_half_width("forward", "cpu", "encoder", spreads=found)
        == found["forward", ANY, ANY].log_half_width
    )


def test_most_measured_values_of_an_even_spread_are_inside() -> None:
    rows = predictions("a", 0.5) + predictions("b", 0.5) + predictions("c", 0.5)
    found = with_intervals(rows, leave_one_source_out=True)
    inside = [one.low <= one.measured <= one.high for one in found if one.low and one.high and one.measured]
    assert 0.85 <= sum(inside) / len(rows) <= 0.95


def test_what_has_no_prediction_or_is_a_yes_or_no_has_no_interval() -> None:
    blank = replace(predictions("a", 0.1, 1)[0], predicted=None)
    fits = replace(blank, predicted=1.0, metric="fits_memory")
    assert all(one.low is None and one.high is None for one in with_intervals([blank, fits]))


@given(st.floats(0, 3), st.floats(0, 3))
def test_levels_that_were_not_seen_never_narrow_an_interval(a: float, b: float) -> None:
    few, many = sorted((a, b))
    table = {("forward", "cuda", ANY): Spread(0.5, 100, 5)}
    assert (
        0.5
        <= log_half_width("forward", "cuda", "cnn", few, table)
        <= log_half_width("forward", "cuda", "cnn", many, table)
    )


def test_a_processor_that_the_source_does_not_name_widens_the_interval() -> None:
    named = {**ENCODER, "accelerator": "Xeon-IceLake (8 vCPU)", "precision": "fp32", "framework": "PyTorch"}
    unnamed = {**named, "accelerator": "CPU (unspecified)"}
    one, other = with_intervals(predict_rows([named, unnamed], load_catalog("us-east-1")))
    assert one.predicted == pytest.approx(other.predicted)
    assert one.high is not None
    assert other.high is not None
    assert other.high > 1.5 * one.high
