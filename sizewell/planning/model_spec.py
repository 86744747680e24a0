"""Translate the model of the configuration into the ``ModelSpec`` of the selection."""

from functools import lru_cache
from typing import Any

from sizewell.config.ml_model import GradientBoostingModel, LinearModel, Model, PresetModel
from sizewell.instance_selection import Architecture, ModelSpec, Precision
from sizewell.instance_selection.estimation.work import FLOPS_PER_WEIGHT_OF_CNN, transformer_shape
from sizewell.instance_selection.presets import find_preset
from sizewell.planning.preset_models import described_model

#: Keys of the configuration, with the fact that each states and how many of its units one of the key's is.
_FACTS = {
    "parameters_millions": ("parameters", 1e6),
    "active_parameters_millions": ("active_parameters", 1e6),
    "embedding_parameters_millions": ("embedding_parameters", 1e6),
    "layers": ("layers", 1),
    "hidden_size": ("hidden_size", 1),
    "kv_hidden_size": ("kv_hidden_size", 1),
    "intermediate_size": ("intermediate_size", 1),
    "vocabulary_size": ("vocabulary_size", 1),
    "forward_gflops_per_image": ("forward_flops_per_image", 1e9),
    "forward_gflops_per_clip": ("forward_flops_per_image", 1e9),
    "forward_gflops_per_row": ("forward_flops_per_image", 1e9),
    "activations_millions_per_image": ("activations_per_image", 1e6),
    "denoising_steps": ("denoising_steps", 1),
    "guidance": ("guidance", 1),
    "trees": ("trees", 1),
    "tree_depth": ("tree_depth", 1),
    "features": ("features", 1),
}
_FORWARD_KEYS = tuple(key for key, (name, _) in _FACTS.items() if name == "forward_flops_per_image")
#: What a node of a decision tree keeps: feature, threshold and two children.
VALUES_PER_TREE_NODE = 4


@lru_cache(maxsize=256)
def model_spec(model: Model) -> ModelSpec:
    """Return the model in whole units: weights instead of millions. Raises what ``described_model`` raises."""
    described = described_model(model)
    architecture = Architecture(described.architecture)
    facts: dict[str, Any] = {"parameters": 0.0, "layers": 0}
    for key, (name, factor) in _FACTS.items():
        if (value := getattr(described, key, None)) is not None:
            facts[name] = value if factor == 1 else value * factor
    if isinstance(described, GradientBoostingModel):
        # Full trees: a tree of depth d has fewer than 2^(d + 1) nodes.
        facts["parameters"] = described.trees * 2.0 ** (described.tree_depth + 1) * VALUES_PER_TREE_NODE
    elif isinstance(described, LinearModel):
        facts["parameters"] = described.features + 1.0
    if architecture.generates:
        facts.setdefault("kv_hidden_size", facts.get("hidden_size", 0))
    else:
        facts.pop("kv_hidden_size", None)
    facts.setdefault("forward_flops_per_image", _assumed_flops(architecture, facts))
    return ModelSpec(
        architecture=architecture,
        precision=Precision(getattr(described, "precision", Precision.FP32)),
        framework=described.framework,
        **facts,
    )


@lru_cache(maxsize=256)
def model_assumptions(model: Model) -> tuple[str, ...]:
    """Return where the facts of a model come from that its workload does not state."""
    described, spec = described_model(model), model_spec(model)
    lines = []
    if isinstance(model, PresetModel):
        preset = find_preset(model.preset)
        lines.append(f"the model is the preset {preset.name}: {preset.source}")
    stated = any(getattr(described, key, None) for key in _FORWARD_KEYS)
    if spec.forward_flops_per_image and not stated:
        gflops = spec.forward_flops_per_image / 1e9
        lines.append(f"a forward pass takes {gflops:,.3g} GFLOP, assumed from the number of weights")
    elif not spec.forward_flops_per_image and not spec.hidden_size and not spec.architecture.tabular:
        layers, width = transformer_shape(spec)
        lines.append(
            f"the model has {layers:.0f} layers of width {width:.0f}, assumed from the number of weights"
        )
    return tuple(lines)


def _assumed_flops(architecture: Architecture, facts: dict[str, Any]) -> float:
    """Return the arithmetic of a forward pass that nobody states; zero where layers and tokens say it."""
    if architecture is Architecture.RECOMMENDER:
        return float(2 * (facts["parameters"] - facts["embedding_parameters"]))
    if architecture in (Architecture.CNN, Architecture.DIFFUSION, Architecture.RNN):
        return float(FLOPS_PER_WEIGHT_OF_CNN * facts["parameters"])
    return 0.0
