"""The words of the calibration for the words of the requirements."""

from dataclasses import replace

import pytest

from sizewell.instance_selection import Architecture, Engine, Precision
from sizewell.instance_selection.estimation.coefficients import BASE, NONE, Label, load_table
from sizewell.instance_selection.labels import is_expanded_apart, serving_labels, training_labels
from tests.instance_selection.builders import (
    BERT_BASE,
    GPU,
    LLAMA_3_8B,
    MIXTRAL_8X7B,
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
    ("engine", "classes"),
    [
        (Engine.EAGER, ("eager", "eager", NONE)),
        # On a CPU a compiled graph, and a runtime built for it, start operators from native code.
        (Engine.COMPILED, ("scripted", "compiled", NONE)),
        (Engine.OPTIMIZED_RUNTIME, ("scripted", "optimized", NONE)),
        (Engine.LLM_ENGINE, ("llm-engine", "llm-engine", NONE)),
    ],
)
def test_the_engine_class_of_each_kind_of_hardware(engine: Engine, classes: tuple[str, ...]) -> None:
    assert labels(engine)["engine"] == classes


@pytest.mark.parametrize(
    ("precision", "decoder", "engine", "expansion"),
    [
        (Precision.BF16, True, Engine.LLM_ENGINE, NONE),
        (Precision.FP8, True, Engine.LLM_ENGINE, NONE),
        (Precision.INT8, False, Engine.OPTIMIZED_RUNTIME, NONE),
        (Precision.INT8, True, Engine.LLM_ENGINE, "before ampere"),
        (Precision.INT4, True, Engine.LLM_ENGINE, "before ampere"),
        (Precision.INT4, False, Engine.COMPILED, "before ampere"),
        # A kernel of its own expands them before the product.
        (Precision.INT8, True, Engine.EAGER, NONE),
        (Precision.INT4, True, Engine.EAGER, NONE),
    ],
)
def test_products_expand_weights_slowly_on_gpus_that_do_not_copy_meanwhile(
    precision: Precision, decoder: bool, engine: Engine, expansion: str
) -> None:
    t4 = gpu_instance(accelerator=replace(GPU, launch_year=2018))
    model = replace(LLAMA_3_8B if decoder else BERT_BASE, precision=precision)
    places = machines(t4, gpu_instance(), cpu_instance(), neuron_instance())

    assert serving_labels(places, model, engine)["expansion"] == (expansion, NONE, NONE, NONE)


@pytest.mark.parametrize(
    ("precision", "engine", "apart"),
    [
        (Precision.INT4, Engine.EAGER, True),
        (Precision.INT4, Engine.LLM_ENGINE, False),
        (Precision.BF16, Engine.EAGER, False),
    ],
)
def test_weights_are_expanded_apart_where_no_kernel_does_both(
    precision: Precision, engine: Engine, apart: bool
) -> None:
    assert is_expanded_apart(replace(LLAMA_3_8B, precision=precision), engine) is apart


def test_the_hardware_speaks_for_itself() -> None:
    found = labels(Engine.EAGER)

    assert found["kind"] == ("cpu", "cuda", "neuron")
    assert found["link"] == (NONE, "nvswitch", "neuronlink")
    assert found["arithmetic"] == ("fp32", "half", "half")
    # Matrix units compute in half precision.
    assert found["units"] == ("vector", NONE, NONE)


@pytest.mark.parametrize(
    ("architecture", "network"),
    [
        (Architecture.CNN, "cnn"),
        (Architecture.DIFFUSION, "diffusion"),
        (Architecture.ENCODER, NONE),
        (Architecture.DECODER, NONE),
    ],
)
def test_networks_that_are_no_transformers_are_told_from_them(
    architecture: Architecture, network: str
) -> None:
    assert (
        serving_labels(MACHINES, replace(BERT_BASE, architecture=architecture), Engine.EAGER)["network"]
        == network
    )
    assert training_labels(architecture)["network"] == network


def test_adapters_are_told_from_the_training_of_all_weights() -> None:
    assert training_labels(Architecture.CNN) == {"network": "cnn", "method": NONE}
    assert training_labels(Architecture.CNN, adapters=True)["method"] == "adapters"


def test_a_mixture_of_experts_is_told_from_a_dense_model() -> None:
    assert labels(Engine.LLM_ENGINE)["experts"] == "dense"
    assert serving_labels(MACHINES, MIXTRAL_8X7B, Engine.LLM_ENGINE)["experts"] == "mixture"


@pytest.mark.parametrize("physics", ["forward", "generation", "training"])
def test_the_labels_answer_every_question_of_the_coefficients(physics: str) -> None:
    asked = {
        part
        for factors in load_table(physics).values()
        for factor in factors
        if factor != BASE
        for part in factor.split(":")
    }

    given = training_labels(Architecture.CNN) if physics == "training" else labels(Engine.EAGER)
    assert asked <= given.keys()
