"""How sure an estimate is."""

import math
from dataclasses import replace

import numpy as np
import pytest

from sizewell.instance_selection.estimation.uncertainty import (
    ANY,
    SEEN_LOG_SD,
    UNMEASURED_LOG_HALF_WIDTH,
    Spread,
    estimate_class,
    interval_factors,
    load_spreads,
    log_half_width,
    range_group,
    widening,
)
from sizewell.instance_selection.requirements import EndpointRequirements, Engine
from tests.instance_selection.builders import ROUND_DECODER, decoder_endpoint, endpoint_columns, gpu_instance
from tools.benchmarks.intervals import MIN_LOG_HALF_WIDTH, MIN_PUBLISHERS

SPREADS = {
    ("forward", ""): Spread(0.3, 60, 3),
    ("forward", "eager"): Spread(0.5, 20, 2),
    (ANY, ""): Spread(0.8, 200, 6),
}
GROUPS = ("one device", "several devices", "eager")
EVERYTHING = {"first_token": True, "mixture": True, "weight_only": True}


@pytest.mark.parametrize(
    ("physics", "kind", "known", "name"),
    [
        ("forward", "cuda", {}, "encoders and image networks on GPUs"),
        ("forward", "cpu", {}, "one pass on CPUs"),
        ("forward", "neuron", {}, "one pass on Neuron"),
        ("training", "cuda", EVERYTHING, "training on GPUs"),
        ("training", "neuron", {}, "training on Neuron"),
        ("generation", "cuda", {}, "dense language models on GPUs"),
        ("generation", "cpu", {"weight_only": True}, "language models on CPUs"),
        ("generation", "neuron", EVERYTHING, "language models on Neuron"),
        ("generation", "cuda", {"weight_only": True}, "mixtures and weight-only"),
        ("generation", "cuda", {"mixture": True}, "mixtures and weight-only"),
        # What is known worst names the class.
        ("generation", "cuda", EVERYTHING, "first token"),
        # Nothing of a load or a chip decides how much lies in memory, or how long trees take to grow.
        ("memory", "neuron", EVERYTHING, "memory"),
        ("boosting", "cpu", {}, "boosted trees"),
        # A pass over an image is the same with whatever else waits.
        ("forward", "cuda", EVERYTHING, "encoders and image networks on GPUs"),
    ],
)
def test_the_class_of_an_estimate(physics: str, kind: str, known: dict[str, bool], name: str) -> None:
    assert estimate_class(physics, kind, **known) == name


def test_a_class_that_too_few_have_measured_takes_the_figure_of_everything() -> None:
    assert log_half_width("forward", spreads=SPREADS) == 0.3
    assert log_half_width("training", spreads=SPREADS) == 0.8


def test_a_group_has_a_range_of_its_own_or_that_of_its_class() -> None:
    assert log_half_width("forward", "eager", SPREADS) == 0.5
    assert log_half_width("forward", "one device", SPREADS) == 0.3
    assert log_half_width("training", "eager", SPREADS) == 0.8


def test_software_names_the_group_before_the_number_of_devices_does() -> None:
    groups = [range_group(eager=eager, devices=devices) for eager in (True, False) for devices in (1, 2)]
    assert groups == ["eager", "eager", "one device", "several devices"]


def test_without_any_measurement_an_estimate_may_be_three_times_off() -> None:
    assert log_half_width("forward", spreads={}) == UNMEASURED_LOG_HALF_WIDTH == math.log(3)


def test_levels_that_nobody_measured_widen_and_measured_ones_do_not() -> None:
    assert widening(0.0) == 1.0
    assert widening(SEEN_LOG_SD) == pytest.approx(math.sqrt(2))
    assert (np.diff(widening(np.array([0.0, 0.1, 0.5, 2.0]))) > 0).all()


def test_the_factors_of_each_entry_lie_on_both_sides_of_the_estimate() -> None:
    low, high = interval_factors(
        (("forward", ""), ("training", ""), ("forward", "eager")),
        np.array([0.0, 0.0, SEEN_LOG_SD]),
        SPREADS,
    )

    assert high == pytest.approx(np.exp([0.3, 0.8, 0.5 * math.sqrt(2)]))
    assert low * high == pytest.approx(1)


def test_the_shipped_spreads_are_plausible_and_hold_everything() -> None:
    spreads = load_spreads()

    assert (ANY, "") in spreads
    for (name, _), spread in spreads.items():
        # Boosted trees are off by up to ten times, a pass on a CPU and a first token by eight.
        widest = {
            "boosted trees": 12,
            "first token in a crowd": 12,
            "one pass on CPUs": 9,
            "first token": 8,
        }.get(name, 6)
        assert MIN_LOG_HALF_WIDTH - 1e-3 <= spread.log_half_width < math.log(widest), name
        assert spread.rows >= spread.publishers >= MIN_PUBLISHERS, name


def test_one_device_under_an_engine_is_known_better_than_several_or_an_eager_framework() -> None:
    generation = [log_half_width("dense language models on GPUs", group) for group in GROUPS]
    assert generation == sorted(generation)
    for name in ("encoders and image networks on GPUs", "one pass on CPUs"):
        assert log_half_width(name, "one device") < log_half_width(name) < log_half_width(name, "eager")


@pytest.mark.parametrize(
    ("needs", "group"),
    [
        (decoder_endpoint(), "one device"),
        (decoder_endpoint(engine=Engine.EAGER), "eager"),
        # 18.4 GiB of a card are usable: 20 GB of weights need two.
        (decoder_endpoint(model=replace(ROUND_DECODER, parameters=10e9)), "several devices"),
    ],
)
def test_the_range_of_an_endpoint_is_that_of_its_engine_and_of_the_devices_that_share_its_weights(
    needs: EndpointRequirements, group: str
) -> None:
    columns = endpoint_columns(needs, gpu_instance(accelerator_count=2, memory_gib=200))
    low, high = columns.interval_of("request")
    assert high[0] / low[0] == pytest.approx(
        math.exp(2 * log_half_width("dense language models on GPUs", group))
    )
