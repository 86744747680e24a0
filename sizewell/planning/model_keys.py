"""The keys that describe a model: the field of ``ModelSpec`` that each fills, and the field of a preset that states it."""

from typing import NamedTuple


class ModelKey(NamedTuple):
    """A key of the configuration, and how many units of each field one of the key's units is."""

    spec_field: str | None
    """None: the key limits what may be asked of the model, and says nothing of its work."""
    spec_units: float = 1
    preset_field: str | None = None
    preset_units: float = 1


MODEL_KEYS = {
    "parameters_millions": ModelKey("parameters", 1e6, "parameters", 1e6),
    "active_parameters_millions": ModelKey("active_parameters", 1e6, "active_parameters", 1e6),
    "embedding_parameters_millions": ModelKey("embedding_parameters", 1e6, "embedding_parameters", 1e6),
    "layers": ModelKey("layers", 1, "layers"),
    "hidden_size": ModelKey("hidden_size", 1, "hidden_size"),
    "kv_hidden_size": ModelKey("kv_hidden_size", 1, "kv_hidden_size"),
    "intermediate_size": ModelKey("intermediate_size", 1, "intermediate_size"),
    "vocabulary_size": ModelKey("vocabulary_size", 1, "vocabulary_size"),
    "max_context_tokens": ModelKey(None, 1, "max_context_tokens"),
    "forward_gflops_per_image": ModelKey("forward_flops_per_image", 1e9, "forward_gflops"),
    "forward_gflops_per_clip": ModelKey("forward_flops_per_image", 1e9, "forward_gflops"),
    "forward_gflops_per_series": ModelKey("forward_flops_per_image", 1e9, "forward_gflops"),
    "forward_gflops_per_row": ModelKey("forward_flops_per_image", 1e9, "forward_gflops"),
    "image_pixels": ModelKey("image_pixels"),
    "activations_millions_per_image": ModelKey("activations_per_image", 1e6, "activations_millions"),
    "denoising_steps": ModelKey("denoising_steps"),
    "guidance": ModelKey("guidance"),
    "time_steps": ModelKey("time_steps"),
    "context_length": ModelKey("time_steps"),
    "prediction_length": ModelKey("forecast_steps"),
    "patch_length": ModelKey("patch_length", 1, "patch_length"),
    "samples": ModelKey("samples"),
    "trees": ModelKey("trees"),
    "tree_depth": ModelKey("tree_depth"),
    "features": ModelKey("features"),
}
