"""The labels that select calibrated coefficients: what they are called, for instance types and for measurements alike."""

from collections.abc import Sequence
from functools import lru_cache

from sizewell.instance_selection.estimation.coefficients import NONE, Labels
from sizewell.instance_selection.estimation.machines import Machines
from sizewell.instance_selection.requirements import Architecture, Engine, ModelSpec, Precision

#: The class of software that an engine of the configuration stands for.
_SOFTWARE = {
    Engine.EAGER: "eager",
    Engine.COMPILED: "compiled",
    Engine.OPTIMIZED_RUNTIME: "optimized",
    Engine.LLM_ENGINE: "llm-engine",
}
#: On a CPU a compiled graph and a runtime built for it start operators from native code.
_SOFTWARE_ON_CPU = {Engine.COMPILED: "scripted", Engine.OPTIMIZED_RUNTIME: "scripted"}


def serving_labels(machines: Machines, model: ModelSpec, engine: Engine) -> Labels:
    """Return the labels of inference: hardware, software, architecture and quantization."""
    expands = weight_only(model) != NONE and not is_expanded_apart(model, engine)
    return _serving(machines, engine, model.architecture, expands, is_mixture(model))


def is_mixture(model: ModelSpec) -> bool:
    """Return whether a token uses a part of the weights only."""
    return (model.active_parameters or model.parameters) < model.parameters


def weight_only(model: ModelSpec) -> str:
    """Return the format of weights that are expanded before use, ``none`` where what is stored computes."""
    generates = model.architecture.generates
    if model.precision is Precision.INT4 or (model.precision is Precision.INT8 and generates):
        return model.precision.value
    return NONE


def expansion_labels(machines: Machines, expands: Sequence[bool]) -> tuple[str, ...]:
    """Return ``before ampere`` where products expand their weights on a GPU of before Ampere, ``none`` elsewhere."""
    return tuple(
        "before ampere" if both else NONE
        for both in map(all, zip(machines.copies_apart, expands, strict=True))
    )


def is_expanded_apart(model: ModelSpec, engine: Engine) -> bool:
    """Return whether a kernel of its own expands the weights: engines built for it do so within the product."""
    return engine is Engine.EAGER and weight_only(model) != NONE


def units_of(machines: Machines) -> tuple[str, ...]:
    """Return ``vector`` for machines that compute in fp32, which matrix units do not, else ``none``."""
    return tuple("vector" if arithmetic == "fp32" else NONE for arithmetic in machines.arithmetic)


@lru_cache(maxsize=512)
def _serving(
    machines: Machines, engine: Engine, architecture: Architecture, expands: bool, mixture: bool
) -> Labels:
    return {
        "kind": machines.kinds,
        "arithmetic": machines.arithmetic,
        "units": units_of(machines),
        "link": machines.links,
        # A Neuron graph is compiled whole, whatever the framework.
        "engine": tuple(
            NONE
            if kind == "neuron"
            else _SOFTWARE_ON_CPU.get(engine, _SOFTWARE[engine])
            if kind == "cpu"
            else _SOFTWARE[engine]
            for kind in machines.kinds
        ),
        "network": architecture.traits.network,
        "expansion": expansion_labels(machines, (expands,) * len(machines)),
        "experts": "mixture" if mixture else "dense",
        "lengths": "varied",
    }


def training_labels(architecture: Architecture, *, adapters: bool = False) -> Labels:
    """Return the labels of training, of all weights or of adapters."""
    return {
        "network": architecture.traits.network,
        "method": "adapters" if adapters else NONE,
    }
