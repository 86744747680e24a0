"""How sure an estimate is."""

import math

import numpy as np
import pytest

from sizewell.instance_selection import Architecture
from sizewell.instance_selection.estimation.uncertainty import (
    ANY,
    SEEN_LOG_SD,
    UNMEASURED_LOG_HALF_WIDTH,
    Spread,
    classes_of,
    interval_factors,
    load_spreads,
    log_half_width,
    widening,
)
from tools.benchmarks.intervals import MIN_ROWS

SPREADS = {
    ("forward", "cuda", "cnn"): Spread(0.3, 60, 3),
    ("forward", "cuda", ANY): Spread(0.4, 100, 5),
    ("forward", ANY, ANY): Spread(0.6, 120, 6),
    (ANY, ANY, ANY): Spread(0.8, 200, 9),
}


@pytest.mark.parametrize(
    ("physics", "kind", "architecture", "half"),
    [
        ("forward", "cuda", "cnn", 0.3),
        ("forward", "cuda", "encoder", 0.4),
        ("forward", "neuron", "cnn", 0.6),
        ("training", "cuda", "cnn", 0.8),
    ],
)
def test_a_class_without_enough_measurements_takes_the_figure_of_the_next_wider_one(
    physics: str, kind: str, architecture: str, half: float
) -> None:
    assert log_half_width(physics, kind, architecture, 0.0, SPREADS) == half


def test_without_any_measurement_an_estimate_may_be_three_times_off() -> None:
    assert log_half_width("forward", "cuda", "cnn", 0.0, {}) == UNMEASURED_LOG_HALF_WIDTH == math.log(3)


def test_levels_that_nobody_measured_widen_and_measured_ones_do_not() -> None:
    assert widening(0.0) == 1.0
    assert widening(SEEN_LOG_SD) == pytest.approx(math.sqrt(2))
    assert (np.diff(widening(np.array([0.0, 0.1, 0.5, 2.0]))) > 0).all()


@pytest.mark.parametrize("physics", ["forward", "generation", "training", "boosting", "never heard of"])
def test_the_factors_of_each_entry_lie_on_both_sides_of_the_estimate(physics: str) -> None:
    low, high = interval_factors(physics, ("cuda", "cpu", "neuron"), np.array([0.0, 0.5, 0.0]), "cnn")

    assert (low < 1).all()
    assert (high > 1).all()
    assert low * high == pytest.approx(1)
    assert high[1] == pytest.approx(math.exp(float(log_half_width(physics, "cpu", "cnn", 0.5))))
    assert high[0] == pytest.approx(math.exp(float(log_half_width(physics, "cuda", "cnn"))))


def test_classes_go_from_narrow_to_wide() -> None:
    assert classes_of("training", "neuron", "cnn") == (
        ("training", "neuron", "cnn"),
        ("training", "neuron", ANY),
        ("training", ANY, ANY),
        (ANY, ANY, ANY),
    )


def test_the_shipped_spreads_are_plausible_and_end_in_everything() -> None:
    spreads = load_spreads()

    assert spreads.keys() >= {(name, ANY, ANY) for name in ("forward", "generation", "training", ANY)}
    for (physics, kind, architecture), spread in spreads.items():
        assert math.log(1.2) - 1e-3 <= spread.log_half_width < math.log(5), (physics, kind, architecture)
        assert spread.rows >= MIN_ROWS
        assert spread.rows >= spread.sources >= 1
        assert kind in ("cuda", "neuron", "cpu", ANY)
        assert architecture in (*Architecture, ANY)
