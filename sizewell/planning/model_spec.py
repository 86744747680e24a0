"""Translate the model of the configuration into the ``ModelSpec`` of the selection."""

from functools import lru_cache
from typing import Any

from sizewell.config.ml_model import GradientBoostingModel, LinearModel, Model, PresetModel
from sizewell.instance_selection import Architecture, ModelSpec, Precision
from sizewell.instance_selection.estimation.work import transformer_shape
from sizewell.instance_selection.presets import find_preset
from sizewell.planning.model_keys import MODEL_KEYS
from sizewell.planning.preset_models import described_model

_FORWARD_KEYS = tuple(name for name, key in MODEL_KEYS.items() if key.spec_field == "forward_flops_per_image")
#: What a node of a decision tree keeps: feature, threshold and two children.
VALUES_PER_TREE_NODE = 4


@lru_cache(maxsize=256)
def model_spec(model: Model) -> ModelSpec:
    """Return the model in whole units: weights instead of millions. Raises what ``described_model`` raises."""
    described = described_model(model)
    architecture = Architecture(described.architecture)
    facts: dict[str, Any] = {"parameters": 0.0, "layers": 0}
    for name, key in MODEL_KEYS.items():
        if (value := getattr(described, name, None)) is not None:
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
    if architecture.traits.look_up_tables:
        return float(2 * (facts["parameters"] - facts["embedding_parameters"]))
    return float(architecture.traits.flops_per_weight * facts["parameters"])
