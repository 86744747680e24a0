"""From the model in the user's words, or the name of a public one, to the facts that the selection computes with."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from config.ml_model import DescribedModel, GradientBoostingModel, LinearModel, Model, PresetModel
from instance_selection import Architecture, ModelSpec, Precision
from instance_selection.estimation.work import FLOPS_PER_WEIGHT_OF_CNN, transformer_shape
from instance_selection.presets import Preset, find_preset

_DESCRIBED: TypeAdapter[DescribedModel] = TypeAdapter(DescribedModel)
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
#: Keys that the table of presets has under another name.
_PRESET_NAMES = {
    "forward_gflops_per_image": "forward_gflops",
    "forward_gflops_per_clip": "forward_gflops",
    "forward_gflops_per_row": "forward_gflops",
    "activations_millions_per_image": "activations_millions",
}
#: What a node of a decision tree keeps: feature, threshold, two children.
VALUES_PER_TREE_NODE = 4


class ContradictionError(ValueError):
    """A preset and what is written beside it exclude each other; ``key`` is the key of the model to change."""

    def __init__(self, key: str, reason: str) -> None:
        self.key = key
        super().__init__(reason)


@lru_cache(maxsize=256)
def described_model(model: Model) -> DescribedModel:
    """Return the description of a model: its own, or that of its preset with what is written beside the name.

    Raises:
        UnknownPresetError: no public model has this name.
        ContradictionError: the preset is of another architecture.
        ValidationError: the preset with the overrides is no valid model; the locations start with the architecture.
    """
    if not isinstance(model, PresetModel):
        return model
    preset = find_preset(model.preset)
    if model.architecture not in (None, preset.architecture):
        raise ContradictionError(
            "architecture",
            f"is {model.architecture}, but {model.preset} is of architecture {preset.architecture}; remove the key",
        )
    overrides = model.model_dump(include=model.model_fields_set - {"preset"}, exclude_none=True)
    return _DESCRIBED.validate_python({**_facts(preset), **overrides, "architecture": preset.architecture})


@lru_cache(maxsize=256)
def model_spec(model: Model) -> ModelSpec:
    """Return the model in whole units: weights instead of millions. Raises what ``described_model`` raises."""
    described = described_model(model)
    stated: dict[str, Any] = {"parameters": 0.0, "layers": 0}
    for key, (name, factor) in _FACTS.items():
        if (value := getattr(described, key, None)) is not None:
            stated[name] = value * factor if factor != 1 else value
    architecture = Architecture(described.architecture)
    if architecture.generates:
        stated.setdefault("kv_hidden_size", stated.get("hidden_size", 0))
    else:
        stated.pop("kv_hidden_size", None)
    if isinstance(described, GradientBoostingModel):
        stated["parameters"] = described.trees * 2.0 ** (described.tree_depth + 1) * VALUES_PER_TREE_NODE
    elif isinstance(described, LinearModel):
        stated["parameters"] = described.features + 1.0
    elif "forward_flops_per_image" not in stated and (flops := _default_flops(architecture, stated)):
        stated["forward_flops_per_image"] = flops
    return ModelSpec(
        architecture=architecture,
        precision=Precision(getattr(described, "precision", Precision.FP32)),
        framework=described.framework,
        **stated,
    )


def model_assumptions(model: Model) -> Iterator[str]:
    """Yield where the facts of a model come from that the configuration does not state."""
    described, spec = described_model(model), model_spec(model)
    if isinstance(model, PresetModel):
        preset = find_preset(model.preset)
        yield f"the model is {preset.name}, as in {preset.source}"
    if spec.architecture in _TRANSFORMERS and not spec.forward_flops_per_image and not spec.hidden_size:
        layers, width = transformer_shape(spec)
        yield (
            f"layers and hidden_size are not stated: {layers:.0f} and {width:.0f} are assumed, "
            "as in published models of this size"
        )
    if spec.forward_flops_per_image and not any(getattr(described, key, None) for key in _PRESET_NAMES):
        gflops = spec.forward_flops_per_image / 1e9
        yield f"the arithmetic of a forward pass is not stated: {gflops:,.3g} GFLOP are assumed from the weights"


_TRANSFORMERS = (Architecture.ENCODER, Architecture.DECODER, Architecture.ENCODER_DECODER)


def _facts(preset: Preset) -> dict[str, Any]:
    """Return what is known of a preset, under the keys that its architecture has."""
    keys = _keys_of(preset.architecture)
    facts: dict[str, Any] = {}
    for key, (name, factor) in _FACTS.items():
        value = getattr(preset, _PRESET_NAMES.get(key, name), None)
        if key in keys and value is not None:
            facts[key] = value / factor if key.endswith("parameters_millions") else value
    if preset.architecture != "encoder" and "hidden_size" in keys:
        facts.pop("forward_gflops_per_image", None)
    if "forward_gflops_per_image" not in facts and ("layers" in facts) != ("hidden_size" in facts):
        facts.pop("layers" if "hidden_size" in keys else "", None)
    return facts


def _default_flops(architecture: Architecture, stated: dict[str, Any]) -> float:
    if architecture is Architecture.RECOMMENDER:
        return float(2 * (stated["parameters"] - stated.get("embedding_parameters", 0.0)))
    if architecture in (Architecture.CNN, Architecture.DIFFUSION, Architecture.RNN):
        return float(FLOPS_PER_WEIGHT_OF_CNN * stated["parameters"])
    return 0.0
