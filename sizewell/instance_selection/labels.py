"""The labels that select calibrated coefficients, for the instance types of a catalog."""

from functools import lru_cache

from sizewell.instance_selection.estimation.coefficients import NONE, Labels
from sizewell.instance_selection.estimation.machines import Machines
from sizewell.instance_selection.requirements import Architecture, Engine, ModelSpec, Precision

#: Frameworks that stand for an engine class where a workload names none.
_FRAMEWORK_OF_ENGINE = {
    Engine.LLM_ENGINE: "vllm",
    Engine.OPTIMIZED_RUNTIME: "tensorrt",
    Engine.COMPILED: "torch-compile",
}
_CPU_FRAMEWORK = {Engine.OPTIMIZED_RUNTIME: "onnxruntime"}
_ENGINE_NAMES = {Engine.OPTIMIZED_RUNTIME: "optimized"}


def serving_labels(machines: Machines, model: ModelSpec, engine: Engine) -> Labels:
    """Return the labels of inference: hardware, engine, framework, architecture and quantization."""
    return _serving(machines, engine, model.framework, model.architecture, _weight_only(model))


@lru_cache(maxsize=512)
def _serving(
    machines: Machines, engine: Engine, framework: str, architecture: Architecture, weight_only: str
) -> Labels:
    name = _ENGINE_NAMES.get(engine, engine.value)
    engines, frameworks = [], []
    for kind in machines.kinds:
        if kind == "neuron":
            engines.append("neuron")
            frameworks.append("neuron")
        elif kind == "cpu":
            # A compiled graph on a CPU runs on the same kernels as a runtime built for it.
            engines.append("optimized" if engine is Engine.COMPILED else name)
            frameworks.append(_CPU_FRAMEWORK.get(engine, _FRAMEWORK_OF_ENGINE.get(engine, framework)))
        else:
            engines.append(name)
            frameworks.append(_FRAMEWORK_OF_ENGINE.get(engine, framework))
    quantization = tuple(
        NONE if weight_only == NONE else f"{weight_only}|{f if e == 'llm-engine' else e}"
        for e, f in zip(engines, frameworks, strict=True)
    )
    return {
        "kind": machines.kinds,
        "chip": machines.chips,
        "arithmetic": machines.arithmetic,
        "link": machines.links,
        "engine": tuple(engines),
        "framework": tuple(frameworks),
        "architecture": architecture.value,
        "quantization": quantization,
    }


def _weight_only(model: ModelSpec) -> str:
    if model.precision is Precision.INT4 or (
        model.precision is Precision.INT8 and model.architecture.generates
    ):
        return model.precision.value
    return NONE


@lru_cache(maxsize=128)
def training_labels(machines: Machines, architecture: Architecture, framework: str, sharding: str) -> Labels:
    """Return the labels of training."""
    return {
        "kind": machines.kinds,
        "chip": machines.chips,
        "arithmetic": machines.arithmetic,
        "framework": tuple("neuron" if kind == "neuron" else framework for kind in machines.kinds),
        "architecture": architecture.value,
        "sharding": sharding,
    }
