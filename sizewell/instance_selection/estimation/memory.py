"""Memory of a model that serves or trains: what lies on one accelerator at its fullest, in bytes.

What fits is decided on the safe side: a workload that is called feasible must not run out of memory.
"""

from dataclasses import dataclass

import numpy as np

from sizewell.instance_selection.estimation.coefficients import Array
from sizewell.instance_selection.estimation.generation import cache_bytes_per_token
from sizewell.instance_selection.estimation.hardware import GIB
from sizewell.instance_selection.estimation.work import transformer_shape
from sizewell.instance_selection.requirements import Engine, ModelSpec, Precision

#: CUDA context, kernels and the workspace of cuBLAS or cuDNN; about 0.5 to 1 GiB on recent cards.
CONTEXT_BYTES = 0.8 * GIB
#: What an LLM engine keeps for sampling, captured graphs and communication beside its cache (vLLM; FasterTransformer
#: shows 2.1 GiB over weights and cache on an A100).
LLM_ENGINE_BYTES = 1.3 * GIB
#: Memory that the allocator cannot hand out, over what is asked for, while requests of many sizes come and go. Training
#: asks for the same sizes at every step: the bytes per token below hold it already.
FRAGMENTATION = 1.05
#: What a token of the cache takes in reality, over its keys and values: a paged cache nothing more; a framework that
#: appends to tensors holds old and new ones at once, and attention scores in fp32.
CACHE_OVERHEAD = {
    Engine.LLM_ENGINE: 1.0,
    Engine.EAGER: 4.0,
    Engine.COMPILED: 2.0,
    Engine.OPTIMIZED_RUNTIME: 1.5,
}
#: Bytes per token, layer and unit of width that a backward pass keeps, without recomputation, in half precision:
#: 28 for a plain feed-forward part of width 4h, 43 for a gated one (measured on LitGPT LoRA runs of phi-1.5,
#: StableLM and Llama-2; Korthikanti et al. 2022 derive 34 with dropout).
KEPT_BYTES_PLAIN, KEPT_BYTES_GATED = 28.0, 43.0
#: The same for encoders, whose dropout masks and softmax outputs are kept too (Korthikanti et al. 2022, equation 2).
KEPT_BYTES_ENCODER, KEPT_BYTES_PER_SCORE = 34.0, 5.0
#: With recomputation only the input of each layer is kept.
KEPT_BYTES_RECOMPUTED = 2.0
#: Logits and their gradient, half precision and fp32: bytes per token and word.
LOGIT_BYTES = 10.0


@dataclass(frozen=True, slots=True)
class ServingMemory:
    """Bytes on one device of a group; every part may be a column."""

    weights: float | Array
    cache: float | Array
    activations: float | Array
    reserve: float | Array

    @property
    def total(self) -> float | Array:
        """The sum of all parts."""
        return self.weights + self.cache + self.activations + self.reserve


def serving_memory(
    model: ModelSpec,
    engine: Engine,
    *,
    on_accelerator: bool | Array,
    tokens: float,
    input_tokens: float,
    sequences: float | Array,
    degree: float | Array,
    value_scale: float | Array = 1.0,
    cache_overhead: float | None = None,
) -> ServingMemory:
    """Return the memory of ``sequences`` requests at a time: ``tokens`` in all, ``input_tokens`` of them the prompt.

    ``sequences`` of an image model are images. ``degree`` devices share weights and cache. ``value_scale`` is the size of
    a value on the device over that of the model's precision, where the device does not have it. ``cache_overhead``
    replaces that of the engine class.
    """
    degree = np.asarray(degree, float)
    cache: float | Array = 0.0
    if model.architecture.generates:
        layers, width = transformer_shape(model)
        per_token = cache_bytes_per_token(model, layers, width) * (cache_overhead or CACHE_OVERHEAD[engine])
        cache = per_token * tokens * sequences / degree * value_scale
    reserve = np.where(on_accelerator, CONTEXT_BYTES, 0.0) + (
        LLM_ENGINE_BYTES if engine is Engine.LLM_ENGINE else 0.0
    )
    return ServingMemory(
        weights=_resident_bytes(model, on_accelerator) * FRAGMENTATION / degree * value_scale,
        cache=cache * FRAGMENTATION,
        activations=_serving_activations(model, input_tokens, sequences) * FRAGMENTATION * value_scale,
        reserve=reserve,
    )


def _resident_bytes(model: ModelSpec, on_accelerator: bool | Array) -> float | Array:
    stored = stored_bytes(model)
    if not model.architecture.traits.look_up_tables:
        return stored
    # Look-up tables stay in host memory, beside an accelerator.
    return np.where(on_accelerator, model.multiplied_parameters * model.precision.bytes, stored)


def stored_bytes(model: ModelSpec) -> float:
    """Return the bytes of all weights; look-up tables stay in half precision when the rest is quantized."""
    if model.precision in (Precision.INT4, Precision.INT8, Precision.FP8) and model.architecture.generates:
        tables = model.embedding_parameters or model.vocabulary_size * float(model.hidden_size)
        tables = min(tables, 0.5 * model.parameters)
        return tables * 2.0 + (model.parameters - tables) * model.precision.bytes
    return model.parameters * model.precision.bytes


def _serving_activations(model: ModelSpec, input_tokens: float, sequences: float | Array) -> float | Array:
    value_bytes = max(model.precision.bytes, 1.0 if model.precision is Precision.INT8 else 2.0)
    traits = model.architecture.traits
    if traits.alive_share is not None:
        images = np.asarray(sequences) * (2.0 if traits.denoises and model.guidance else 1.0)
        values = model.activations_per_image or model.forward_flops_per_image / 1000.0
        return values * traits.alive_share * value_bytes * images
    if traits.tabular or traits.look_up_tables:
        return 0.0
    _, width = transformer_shape(model)
    # Layers run one after the other: the widest (feed-forward, 4 x hidden) and its input are alive together.
    rows = max(input_tokens, 1.0) * (1.0 if traits.generates else np.asarray(sequences))
    return 6.0 * width * value_bytes * rows


@dataclass(frozen=True, slots=True)
class TrainingMemory:
    """Bytes on one device; every part may be a column."""

    weights: float | Array
    gradients: float | Array
    optimizer: float | Array
    activations: float | Array
    reserve: float

    @property
    def total(self) -> float | Array:
        """The sum of all parts."""
        return self.weights + self.gradients + self.optimizer + self.activations + self.reserve


def kept_bytes_per_example(model: ModelSpec, sequence_length: float, *, recompute: bool = False) -> float:
    """Return the bytes that one example leaves for the backward pass: an image, or a sequence."""
    value = 1.0 if model.precision not in (Precision.FP32, Precision.TF32) else 2.0
    traits = model.architecture.traits
    if model.activations_per_image or traits.alive_share is not None:
        # Outputs of convolutions, of their normalisations, and masks of activations.
        values = model.activations_per_image or model.forward_flops_per_image / 800.0
        return 2.5 * values * 2.0 * value
    layers, width = transformer_shape(model)
    per_token = layers * width * KEPT_BYTES_RECOMPUTED
    if not recompute:
        gated = 0 < model.intermediate_size != 4 * model.hidden_size
        kept = KEPT_BYTES_GATED if gated else KEPT_BYTES_PLAIN
        if not traits.causal:
            kept = KEPT_BYTES_ENCODER
        per_token = layers * width * kept
        if not traits.causal:
            per_token += layers * KEPT_BYTES_PER_SCORE * max(width / 64.0, 1.0) * sequence_length
    logits = 0.0
    if traits.has_logits:
        logits = LOGIT_BYTES * (model.vocabulary_size or 32000)
    return value * (per_token + logits) * sequence_length


def training_memory(
    model: ModelSpec,
    *,
    weight_bytes: float | Array,
    gradient_bytes: float | Array,
    state_bytes: float | Array,
    trainable: float,
    sequence_length: float,
    examples: float | Array,
    shards: float | Array,
    recompute: bool = False,
) -> TrainingMemory:
    """Return the memory of ``examples`` per device, the states spread over ``shards`` devices.

    ``weight_bytes``, ``gradient_bytes`` and ``state_bytes`` are per weight; the latter two of the ``trainable`` ones.
    """
    shards = np.asarray(shards, float)
    weights: Array = np.asarray(model.parameters * weight_bytes / shards)
    if np.any(shards > 1):
        # The layers in use are gathered whole: two of them at a time.
        layers, _ = transformer_shape(model)
        weights = weights + np.where(shards > 1, 2 * model.parameters * weight_bytes / layers, 0.0)
    return TrainingMemory(
        weights=weights,
        gradients=trainable * gradient_bytes / shards,
        optimizer=trainable * state_bytes / shards,
        activations=kept_bytes_per_example(model, sequence_length, recompute=recompute) * examples,
        reserve=CONTEXT_BYTES,
    )
