"""Translate the model of the configuration into the ``ModelSpec`` of the selection."""

from dataclasses import replace
from functools import lru_cache
from typing import Any

from sizewell.config.ml_model import DescribedModel, GradientBoostingModel, LinearModel, Model, PresetModel
from sizewell.instance_selection import Architecture, ModelSpec, Precision
from sizewell.instance_selection.estimation.work import image_flops
from sizewell.instance_selection.presets import find_preset
from sizewell.planning.model_keys import MODEL_KEYS
from sizewell.planning.preset_models import described_model

#: What a node of a decision tree keeps: feature, threshold and two children.
VALUES_PER_TREE_NODE = 4


@lru_cache(maxsize=256)
def model_spec(model: Model) -> ModelSpec:
    """Return the model in whole units: weights instead of millions. Raises what ``described_model`` raises."""
    spec = _stated_spec(described_model(model))
    if isinstance(model, PresetModel) and spec.architecture.traits.denoises:
        # The arithmetic of a preset stands for its pixels, and so do those of the image that is decoded.
        pixels = model.image_pixels or find_preset(model.preset).pixels
        spec = replace(spec, image_pixels=pixels)
    return replace(spec, forward_flops_per_image=spec.forward_flops_per_image or _assumed_flops(spec))


@lru_cache(maxsize=256)
def model_assumptions(model: Model) -> tuple[str, ...]:
    """Return where the facts of a model come from that its workload does not state."""
    spec = _stated_spec(described_model(model))
    lines = spec.architecture.assumed_of(spec)
    if not isinstance(model, PresetModel):
        return lines
    preset = find_preset(model.preset)
    return (f"the model is the preset {preset.name}: {preset.source}", *lines)


def _stated_spec(described: DescribedModel) -> ModelSpec:
    architecture = Architecture(described.architecture)
    facts: dict[str, Any] = {"parameters": 0.0, "layers": 0}
    for name, key in MODEL_KEYS.items():
        if key.spec_field is not None and (value := getattr(described, name, None)) is not None:
            facts[key.spec_field] = value if key.spec_units == 1 else value * key.spec_units
    if isinstance(described, GradientBoostingModel):
        # Full trees: a tree of depth d has fewer than 2^(d + 1) nodes.
        facts["parameters"] = described.trees * 2.0 ** (described.tree_depth + 1) * VALUES_PER_TREE_NODE
    elif isinstance(described, LinearModel):
        facts["parameters"] = described.features + 1.0
    if architecture.generates:
        facts.setdefault("kv_hidden_size", facts.get("hidden_size", 0))
    else:
        facts.pop("kv_hidden_size", None)
    return ModelSpec(
        architecture=architecture,
        precision=Precision(getattr(described, "precision", Precision.FP32)),
        framework=described.framework,
        **facts,
    )


def _assumed_flops(spec: ModelSpec) -> float:
    """Return the arithmetic of a forward pass that nobody states; zero where layers, steps and tokens say it."""
    if spec.architecture.traits.look_up_tables:
        return 2.0 * spec.multiplied_parameters
    return image_flops(spec)
