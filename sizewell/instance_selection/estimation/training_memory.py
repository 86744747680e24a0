"""Memory of a model in training: an upper bound of what lies on one device at its fullest, in bytes."""

from dataclasses import dataclass, replace

import numpy as np

from sizewell.instance_selection.estimation.coefficients import Array
from sizewell.instance_selection.estimation.memory import CONTEXT_BYTES, DEFAULT_VOCABULARY, word_parameters
from sizewell.instance_selection.estimation.work import HEAD_WIDTH, forward_work, transformer_shape
from sizewell.instance_selection.requirements import ModelSpec, Precision

#: Bytes per token, layer and unit of width that a backward pass keeps, without recomputation, in half precision:
#: 28 for a plain feed-forward part of width 4h, 43 for a gated one (measured on LitGPT LoRA runs of phi-1.5,
#: StableLM and Llama-2; Korthikanti et al. 2022 derive 34 with dropout).
KEPT_BYTES_PLAIN, KEPT_BYTES_GATED = 28.0, 43.0
#: The same for encoders, whose dropout masks and softmax outputs are kept too (Korthikanti et al. 2022, equation 2).
KEPT_BYTES_ENCODER, KEPT_BYTES_PER_SCORE = 34.0, 5.0
#: Scores of a decoder whose attention is not fused: softmax in fp32, its copy in half precision, and the mask or dropout.
KEPT_BYTES_PER_UNFUSED_SCORE = 8.0
#: With recomputation only the input of each layer is kept, and all of the layer at work, with gradients of its scores.
KEPT_BYTES_RECOMPUTED = 2.0
#: Bytes per token and word at the start of the backward pass: scores in half precision (2), and in fp32 their log-softmax,
#: its gradient and that of the scores (cross_entropy of PyTorch after `logits.float()`, as Transformers does it).
LOGIT_BYTES = 14.0
#: Bytes of a gradient, in mixed precision too: autocast leaves weights and gradients in fp32, Megatron and DeepSpeed add them up
#: in fp32 (Transformers documentation, Anatomy of model's memory: 18 bytes per weight with AdamW).
GRADIENT_BYTES = 4.0
#: Layers that sharding holds whole: the one at work, and the next one. Words, where they are looked up and where they are
#: scored, stay whole from the first layer to the last (PyTorch, FSDP: the root module is not resharded after the forward pass).
GATHERED_LAYERS = 2.0


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


def kept_bytes_per_example(
    model: ModelSpec,
    sequence_length: float,
    *,
    recompute: bool = False,
    fused_attention: bool = True,
    tensor_parallel: float = 1.0,
    predicts_words: bool = False,
) -> float:
    """Return the bytes that one example leaves for the backward pass: an image, or a sequence.

    ``predicts_words``: an encoder scores its vocabulary at every position, as in pre-training; what generates always does.
    ``fused_attention``: a decoder keeps no scores. Of a tensor-parallel group each device keeps 10 of 34 bytes whole, and
    its share of the rest (Korthikanti et al. 2022, equation 2).
    """
    value = 1.0 if model.precision not in (Precision.FP32, Precision.TF32) else 2.0
    traits = model.architecture.traits
    if model.activations_per_image or not traits.transformer:
        # What the layers write, what their normalisations write, and masks of activations. Guidance is not trained.
        written = forward_work(replace(model, guidance=False), tokens=sequence_length).activations
        return float(2.5 * written * 2.0 * value)
    layers, width = transformer_shape(model)
    gated = 0 < model.intermediate_size != 4 * model.hidden_size
    kept = KEPT_BYTES_GATED if gated else KEPT_BYTES_PLAIN
    per_score = 0.0 if fused_attention else KEPT_BYTES_PER_UNFUSED_SCORE
    if not traits.causal:
        kept, per_score = KEPT_BYTES_ENCODER, KEPT_BYTES_PER_SCORE
    scores = per_score * max(width / HEAD_WIDTH, 1.0) * sequence_length / tensor_parallel
    layer = width * kept * (10 + 24 / tensor_parallel) / 34 + scores
    logits = 0.0
    if traits.has_logits or predicts_words:
        logits = LOGIT_BYTES * (model.vocabulary_size or DEFAULT_VOCABULARY) / tensor_parallel
    # Logits are gone when the first layer is computed again.
    again = layers * width * KEPT_BYTES_RECOMPUTED + max(layer + scores, logits)
    return value * (again if recompute else layers * layer + logits) * sequence_length


def gathered_bytes(model: ModelSpec, weight_bytes: float | Array) -> float | Array:
    """Return what a device holds of the weights of others while they are at work; words are never of less than two bytes."""
    layers, _ = transformer_shape(model)
    words = (
        2.0 * word_parameters(model) * np.maximum(weight_bytes, 2.0) if model.architecture.generates else 0.0
    )
    return GATHERED_LAYERS * model.parameters * weight_bytes / layers + words


def training_memory(
    model: ModelSpec,
    *,
    weight_bytes: float | Array,
    gradient_bytes: float | Array,
    state_bytes: float | Array,
    trainable: float,
    kept_bytes: float | Array,
    shards: float | Array,
    state_shards: float = 1.0,
) -> TrainingMemory:
    """Return the memory of examples that keep ``kept_bytes`` on a device, everything else spread over ``shards`` devices.

    ``weight_bytes``, ``gradient_bytes`` and ``state_bytes`` are per weight; the latter two of the ``trainable`` ones.
    States alone may be spread over ``state_shards`` devices.
    """
    shards = np.asarray(shards, float)
    weights: Array = np.asarray(model.parameters * weight_bytes / shards)
    if np.any(shards > 1):
        weights = weights + np.where(shards > 1, gathered_bytes(model, weight_bytes), 0.0)
    return TrainingMemory(
        weights=weights,
        gradients=trainable * gradient_bytes / shards,
        optimizer=trainable * state_bytes / np.maximum(shards, state_shards),
        activations=kept_bytes,
        reserve=CONTEXT_BYTES,
    )
