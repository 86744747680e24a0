"""The words of the calibration for the words of the requirements."""

from dataclasses import replace

import pytest

from sizewell.instance_selection import Architecture, Engine, Precision
from sizewell.instance_selection.estimation.coefficients import NONE, Label, load_priors
from sizewell.instance_selection.labels import serving_labels, training_labels
from tests.instance_selection.builders import (
    BERT_BASE,
    LLAMA_3_8B,
    cpu_instance,
    gpu_instance,
    machines,
    neuron_instance,
)

#: A CPU, a GPU and a Neuron chip.
MACHINES = machines(cpu_instance(), gpu_instance(), neuron_instance())


def labels(engine: Engine, precision: Precision = Precision.BF16, decoder: bool = True) -> dict[str, Label]:
    model = replace(LLAMA_3_8B if decoder else BERT_BASE, precision=precision)
    return dict(serving_labels(MACHINES, model, engine))


@pytest.mark.parametrize(
    ("engine", "engines"),
    [
        (Engine.EAGER, ("eager", "eager", "neuron")),
        # A compiled graph on a CPU runs on the kernels of a runtime built for it.
        (Engine.COMPILED, ("optimized", "compiled", "neuron")),
        (Engine.OPTIMIZED_RUNTIME, ("optimized", "optimized", "neuron")),
        (Engine.LLM_ENGINE, ("llm-engine", "llm-engine", "neuron")),
    ],
)
def test_the_engine_class_of_each_kind_of_hardware(engine: Engine, engines: tuple[str, ...]) -> None:
    assert labels(engine)["engine"] == engines


@pytest.mark.parametrize(
    ("engine", "frameworks"),
    [
        (Engine.EAGER, ("pytorch", "pytorch", "neuron")),
        (Engine.OPTIMIZED_RUNTIME, ("onnxruntime", "tensorrt", "neuron")),
        (Engine.LLM_ENGINE, ("vllm", "vllm", "neuron")),
    ],
)
def test_an_engine_class_stands_for_a_framework(engine: Engine, frameworks: tuple[str, ...]) -> None:
    assert labels(engine)["framework"] == frameworks


@pytest.mark.parametrize(
    ("precision", "decoder", "engine", "quantization"),
    [
        (Precision.BF16, True, Engine.EAGER, NONE),
        (Precision.FP8, True, Engine.LLM_ENGINE, NONE),
        (Precision.INT8, False, Engine.EAGER, NONE),
        (Precision.INT8, True, Engine.EAGER, "int8|eager"),
        (Precision.INT4, True, Engine.EAGER, "int4|eager"),
        (Precision.INT4, False, Engine.EAGER, "int4|eager"),
        (Precision.INT4, True, Engine.LLM_ENGINE, "int4|vllm"),
    ],
)
def test_only_weights_that_are_expanded_before_use_are_quantized(
    precision: Precision, decoder: bool, engine: Engine, quantization: str
) -> None:
    found = labels(engine, precision, decoder)["quantization"]

    assert found[1] == quantization


def test_the_hardware_speaks_for_itself() -> None:
    found = labels(Engine.EAGER)

    assert found["kind"] == ("cpu", "cuda", "neuron")
    assert found["chip"] == ("none", "Round GPU", "Round Neuron")
    assert found["link"] == ("none", "nvswitch", "neuronlink")
    assert found["arithmetic"] == ("fp32", "half", "half")
    assert found["architecture"] == "decoder"


def test_labels_of_training() -> None:
    found = training_labels(MACHINES, Architecture.CNN, "tensorflow", "shard")

    assert found["framework"] == ("tensorflow", "tensorflow", "neuron")
    assert (found["architecture"], found["sharding"]) == ("cnn", "shard")


@pytest.mark.parametrize("physics", ["forward", "generation", "training"])
def test_the_labels_answer_every_question_of_the_priors(physics: str) -> None:
    asked = {
        part
        for prior in load_priors(physics).values()
        for factor in prior.factors
        if factor != "base"
        for part in factor.split(":")
    }

    given = (
        training_labels(MACHINES, Architecture.CNN, "pytorch", "none")
        if physics == "training"
        else labels(Engine.EAGER)
    )
    assert asked <= given.keys()
