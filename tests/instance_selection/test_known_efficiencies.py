import pytest

from instance_selection import Architecture, Engine
from instance_selection.estimation.efficiencies import find_efficiency
from tests.instance_selection.builders import (
    catalog,
    cpu_instance,
    decoder_endpoint,
    neuron_instance,
    rejection,
    training,
)


def test_an_llm_engine_on_a_cpu_has_no_known_efficiency() -> None:
    found = rejection(decoder_endpoint(), catalog(cpu_instance()))

    assert (found.filter, found.reason) == (
        "estimate",
        "no efficiency is known for llm-engine decoder on cpu",
    )


def test_training_a_cnn_on_neuron_has_no_known_efficiency() -> None:
    found = rejection(training(), catalog(neuron_instance()))

    assert (found.filter, found.reason) == (
        "estimate",
        "no efficiency is known for training a cnn on neuron",
    )


@pytest.mark.parametrize("engine", list(Engine))
@pytest.mark.parametrize("architecture", list(Architecture))
@pytest.mark.parametrize("hardware", ["cuda", "neuron", "cpu"])
def test_efficiencies_are_shares_of_the_peak(
    hardware: str, architecture: Architecture, engine: Engine
) -> None:
    found = find_efficiency("inference", hardware, engine, architecture, "fp32")

    if found:
        assert 0 < found.compute <= 1
        assert 0 < found.bandwidth <= 1
        assert found.launch_us_per_layer >= 0
        assert found.source


def test_the_row_of_a_precision_goes_before_the_row_for_any() -> None:
    int8 = find_efficiency("inference", "cpu", "optimized-runtime", "encoder", "int8")
    fp32 = find_efficiency("inference", "cpu", "optimized-runtime", "encoder", "fp32")

    assert int8
    assert fp32
    assert int8.source != fp32.source


def test_the_row_of_any_engine_serves_an_engine_without_a_row() -> None:
    assert find_efficiency("inference", "neuron", "eager", "cnn", "bf16") == find_efficiency(
        "inference", "neuron", "optimized-runtime", "cnn", "bf16"
    )


def test_an_unknown_combination_is_none_rather_than_a_guess() -> None:
    assert find_efficiency("inference", "cuda", "llm-engine", "encoder", "fp16") is None
