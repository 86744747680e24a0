"""Memory of a model that serves: an upper bound of what lies on one device at its fullest, in bytes.

A workload that is called feasible must not run out of memory, so what an engine sets aside counts as used, and a
prompt is as long, and a batch as full, as the engine lets them be.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sizewell.instance_selection.estimation.coefficients import Array
from sizewell.instance_selection.estimation.generation import cache_bytes_per_token
from sizewell.instance_selection.estimation.hardware import GIB, USABLE_ACCELERATOR_SHARE
from sizewell.instance_selection.estimation.work import HEAD_WIDTH, image_work, transformer_shape
from sizewell.instance_selection.requirements import Engine, ModelSpec

#: The kind of hardware of each type: cuda, neuron or cpu.
Kinds = NDArray[Any]
#: Memory above this share of what is usable is close to its limit.
NEAR_FULL = 0.9
#: CUDA context, kernels and the workspace of cuBLAS or cuDNN; about 0.5 to 1 GiB on recent cards.
CONTEXT_BYTES = 0.8 * GIB
#: Buffers and kernels of NCCL and of other all-reduces on each GPU of a group: 3.58 GiB that PyTorch did not allocate on
#: each of two H100, less 1.79 on one alone (vLLM 0.6, pull request 10511; NCCL issue 864: 1.6 GB; others report less).
COMMUNICATION_BYTES = 1.8 * GIB
#: What CUDA reports of the memory that a maker lists (79.2 of 80 GiB on an H100, 39.4 of 40 on an A100).
VISIBLE_SHARE = 0.985
#: Memory that the caching allocator of PyTorch cannot hand out, over what is asked for, while tensors of many sizes come
#: and go. Training asks for the same sizes at every step: its bytes per token hold it already.
FRAGMENTATION = 1.05
#: Values of a transformer block that are alive together, per token and unit of width, beside its feed-forward part:
#: the input and its normalisation, query, key and value, weighted sums, projection, residual sum.
BLOCK_VALUES = 8.0
#: Matrices of a gated feed-forward part: gate, up, and their product. A plain one has two.
FEED_FORWARD_VALUES = 3.0
#: Attention scores of one pair of positions and their softmax, both in fp32.
SCORE_BYTES = 8.0
#: Sampling of one word of the vocabulary: scores in half precision and fp32, sorted with their places, probabilities and
#: their sums (vLLM, pull request 10511: 1.26 GiB for 256 sequences over 128,256 words).
SAMPLING_BYTES = 41.0
#: Words of a vocabulary that is not stated.
DEFAULT_VOCABULARY = 32_000
#: Patches of an image, and the class token (224 x 224 pixels in patches of 16: Dosovitskiy et al. 2021, ViT).
PATCHES_OF_IMAGE = 197.0


@dataclass(frozen=True, kw_only=True, slots=True)
class EngineMemory:
    """What an engine makes of the memory of a card."""

    card_share: float | None = None
    """The share of a card within which weights, activations and cache must stay; None: all that is usable."""
    step_tokens: float | None = None
    """Tokens for which one step reserves memory, or a longer prompt; None: all prompts of a batch are read at once."""
    scores_prompts: bool = True
    """Whether words are scored at every position of a prompt, rather than at the last one."""
    sampled_sequences: float = 0.0
    """Sequences for whose next words memory is reserved; 0: those that are in progress."""
    cache_copies: float = 1.0
    """Keys and values in memory, over those of the tokens."""
    cache_block_tokens: float = 1.0
    """Tokens by which the cache of a sequence grows."""
    keeps_scores: bool = True
    """Whether attention writes its scores to memory."""
    splits_tables: bool = False
    """Whether a tensor-parallel group shares look-up tables too, rather than holding a copy on each device."""
    fragmentation: float = 1.0
    kernel_bytes: float = 0.0
    """Kernels and workspaces beside the context of a framework."""


ENGINES: Mapping[Engine, EngineMemory] = MappingProxyType(
    {
        # Transformers: a step concatenates to the keys and values of the last one, which `generate` still holds; scores
        # of all positions of the prompt are raised to fp32 (before 4.45); attention is not fused for every architecture.
        Engine.EAGER: EngineMemory(cache_copies=2.0, fragmentation=FRAGMENTATION),
        # XLA, torch.compile (gpt-fast): a cache of fixed size, memory planned by the compiler; tables on every device.
        Engine.COMPILED: EngineMemory(),
        # TensorRT, FasterTransformer, ONNX Runtime: buffers of the largest batch are allocated once, for the last position;
        # the kernels of a whole library are loaded at once (lazily only since CUDA 11.7): 2.1 GiB with the context.
        Engine.OPTIMIZED_RUNTIME: EngineMemory(scores_prompts=False, kernel_bytes=1.3 * GIB),
        # vLLM: gpu_memory_utilization 0.9 holds weights, the activations of a profiled step, and the cache in blocks of
        # 16 tokens; captured graphs lie in the rest. max_num_seqs 256, max_num_batched_tokens 8192 on large cards, 2048
        # on others (docs.vllm.ai, engine arguments). TensorRT-LLM: max_num_tokens 8192, kv_cache_free_gpu_memory_fraction
        # 0.9 of what weights and activations leave. SGLang: chunked_prefill_size 8192. TGI: max_batch_prefill_tokens 4096.
        Engine.LLM_ENGINE: EngineMemory(
            card_share=0.9,
            step_tokens=8192.0,
            scores_prompts=False,
            sampled_sequences=256.0,
            cache_block_tokens=16.0,
            keeps_scores=False,
            splits_tables=True,
        ),
    }
)


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
    kinds: str | Sequence[str],
    device_bytes: float | Array,
    tokens: float,
    input_tokens: float,
    sequences: float | Array,
    degree: float | Array,
    value_scale: float | Array = 1.0,
    cache_degree: float | None = None,
) -> ServingMemory:
    """Return the memory of ``sequences`` requests at a time: ``tokens`` in all, ``input_tokens`` of them the prompt.

    ``sequences`` of an image model are images. ``degree`` devices share weights and cache, or ``cache_degree`` of them
    the cache. ``kinds`` are ``cuda``, ``neuron`` or ``cpu``; ``device_bytes`` is what a workload may use of one device.
    ``value_scale`` is the size of a value on the device over that of the model's precision, where the device does not
    have it.
    """
    degree, rules, kind = np.asarray(degree, float), ENGINES[engine], np.asarray(kinds)
    cache: float | Array = 0.0
    if model.architecture.generates:
        layers, width = transformer_shape(model)
        held = np.ceil(tokens / rules.cache_block_tokens) * rules.cache_block_tokens * rules.cache_copies
        cache = cache_bytes_per_token(model, layers, width) * held * sequences / (cache_degree or degree)
    return ServingMemory(
        weights=_resident_bytes(model, kind, degree, rules) * value_scale,
        cache=cache * value_scale * rules.fragmentation,
        activations=_serving_activations(model, rules, kind, input_tokens, sequences, degree)
        * value_scale
        * rules.fragmentation,
        reserve=np.where(kind == "cpu", 0.0, CONTEXT_BYTES)
        + np.where(kind == "cuda", _reserve(rules, device_bytes, degree), 0.0),
    )


def _reserve(rules: EngineMemory, device_bytes: float | Array, degree: Array) -> float | Array:
    beyond = 0.0
    if rules.card_share is not None:
        beyond = 1.0 - rules.card_share * VISIBLE_SHARE / USABLE_ACCELERATOR_SHARE
    return rules.kernel_bytes + np.where(degree > 1, COMMUNICATION_BYTES, 0.0) + beyond * device_bytes


def _resident_bytes(model: ModelSpec, kind: Kinds, degree: Array, rules: EngineMemory) -> float | Array:
    stored = stored_bytes(model)
    if model.architecture.traits.look_up_tables:
        # Look-up tables stay in host memory, beside an accelerator.
        return np.where(kind == "cpu", stored, model.multiplied_parameters * model.precision.bytes)
    copied = 0.0
    if model.architecture.generates and not rules.splits_tables:
        copied = word_parameters(model) * max(model.precision.bytes, 2.0)
    return copied + (stored - copied) / degree


def word_parameters(model: ModelSpec) -> float:
    """Return the weights of the table in which words are looked up."""
    stated = model.embedding_parameters or model.vocabulary_size * float(model.hidden_size)
    return min(stated, 0.25 * model.parameters)


def stored_bytes(model: ModelSpec) -> float:
    """Return the bytes of all weights.

    Quantization leaves words in half precision, where they are looked up and where they are scored (``lm_head`` in
    AutoAWQ, AutoGPTQ, bitsandbytes and FP8 checkpoints).
    """
    if not model.architecture.generates:
        return model.parameters * model.precision.bytes
    words = 2.0 * word_parameters(model)
    return words * max(model.precision.bytes, 2.0) + (model.parameters - words) * model.precision.bytes


def _serving_activations(
    model: ModelSpec,
    rules: EngineMemory,
    kind: Kinds,
    input_tokens: float,
    sequences: float | Array,
    degree: float | Array,
) -> float | Array:
    traits = model.architecture.traits
    # Narrow formats are those of weights, and of some activations only.
    value_bytes = max(model.precision.bytes, 2.0)
    if traits.alive_share is not None:
        images = np.asarray(sequences) * (2.0 if traits.denoises and model.guidance else 1.0)
        return image_work(model).activations * traits.alive_share * value_bytes * images
    if traits.tabular or traits.look_up_tables:
        return 0.0
    layers, width = transformer_shape(model)
    length = input_tokens or (PATCHES_OF_IMAGE if traits.patches else 1.0)
    # Layers run one after the other: what one of them writes is alive together.
    rows: Array = length * np.asarray(sequences, float)
    if rules.step_tokens is not None:
        # Not every engine reads a long prompt in pieces: vLLM since its version 1, TGI since 3.
        # A Neuron graph is compiled for the prompt.
        rows = np.where(kind == "neuron", length, max(rules.step_tokens, length))
    block = (
        FEED_FORWARD_VALUES * _feed_forward_width(model, layers, width) / degree + BLOCK_VALUES * width
    ) * value_bytes
    held = rows * block
    if rules.keeps_scores:
        heads = max(width / HEAD_WIDTH, 1.0)
        held = held + np.asarray(sequences) * heads * length**2 * SCORE_BYTES / degree
    if not traits.generates:
        return held
    words = float(model.vocabulary_size or DEFAULT_VOCABULARY)
    if rules.scores_prompts:
        scored = rows * (value_bytes + 4.0)
    else:
        scored = np.asarray(rules.sampled_sequences or sequences) * SAMPLING_BYTES
    return np.maximum(held, scored * words)


def _feed_forward_width(model: ModelSpec, layers: float, width: float) -> float:
    """Return the width that a token takes in a feed-forward part: all experts that it is sent to, side by side."""
    if (model.active_parameters or model.parameters) < model.parameters:
        # All active weights over those of one unit of width: attention counts as another expert.
        return model.multiplied_parameters / (FEED_FORWARD_VALUES * layers * width)
    return float(model.intermediate_size or 4 * width)
