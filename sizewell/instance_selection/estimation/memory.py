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
from sizewell.instance_selection.requirements import Engine, ModelSpec, Precision

#: The kind of hardware of each type: cuda, neuron or cpu.
Kinds = NDArray[Any]
#: A card of at least so much takes the longer steps of `EngineMemory`.
LARGE_CARD_BYTES = 60 * GIB
#: Memory above this share of what is usable is close to its limit.
NEAR_FULL = 0.9
#: CUDA context, kernels and the workspace of cuBLAS or cuDNN: 0.35 GiB on an RTX 3090 (vLLM issue 10517), 0.25 on an RTX 4090
#: (issue 13061), more on larger cards.
CONTEXT_BYTES = 0.5 * GIB
#: Buffers and kernels of NCCL and of other all-reduces on each GPU of a group, by its link. NVLink: 3.58 GiB that PyTorch did
#: not allocate on each of two H100, less 1.79 on one alone (vLLM 0.6, pull request 10511; NCCL issue 864: 1.6 GB).
COMMUNICATION_BYTES = 1.8 * GIB
#: PCIe takes few channels: 0.20 GiB on each RTX 3090 (vLLM, pull request 14447), 0.33 on each of two RTX 5090 (issue 14452).
PCIE_COMMUNICATION_BYTES = 0.4 * GIB
#: What CUDA reports of the memory that a maker lists (79.2 of 80 GiB on an H100, 39.4 of 40 on an A100).
VISIBLE_SHARE = 0.985
#: Memory that the caching allocator of PyTorch cannot hand out, over what is asked for, while tensors of many sizes come
#: and go. Training asks for the same sizes at every step: its bytes per token hold it already.
FRAGMENTATION = 1.05
#: Values of a transformer block that are alive beside its feed-forward part, per token and unit of width: the residual, the
#: normalised input and the output. Llama 3.1 8B takes 2.07 GiB for 20,000 tokens, 2.99 for 29,000 (vLLM issue 10517).
BLOCK_VALUES = 3.0
#: Matrices of a gated feed-forward part: gate, up, and their product. A plain one has two.
FEED_FORWARD_VALUES = 3.0
#: Attention scores of one pair of positions and their softmax, both in fp32.
SCORE_BYTES = 8.0
#: Sampling of one word of the vocabulary: scores in half precision and fp32, sorted with their places, probabilities and
#: their sums (vLLM, pull request 10511: 1.26 GiB for 256 sequences over 128,256 words).
SAMPLING_BYTES = 41.0
#: Words of a vocabulary that is not stated.
DEFAULT_VOCABULARY = 32_000
#: Values of a denoiser that are alive together, over those that a step writes: the U-Net of SDXL takes 0.27 GiB of 3.3, the
#: transformer of FLUX.1 0.46 of 12.6 (huggingface.co/datasets/diffusers/benchmarks, mem_plain less weights).
DENOISER_ALIVE_SHARE = 0.1
#: Values per pixel that are alive while images are decoded: SDXL needs 21.7 GB for 4 images of 1024 x 1024 in fp16, 28.1 in
#: fp32, less its weights (huggingface.co/blog/simple_sdxl_optimizations). Its decoder computes in fp32 where the rest is fp16,
#: which overflows (diffusers, AutoencoderKL, force_upcast).
DECODED_VALUES_PER_PIXEL = 900.0
#: Copies of the weights in host memory while a graph of torch-neuronx is loaded: what torch.jit.load holds, and one for each of
#: the two NeuronCores of a chip. SDXL is killed on an inf2.xlarge, whose host has 16 GiB (aws-neuron-sdk issue 753), and runs
#: there with 8 GB of swap (huggingface.co/paulkm/sdxl_neuron_pipe).
NEURON_GRAPH_COPIES = 3.0
#: Patches of an image, and the class token (224 x 224 pixels in patches of 16: Dosovitskiy et al. 2021, ViT).
PATCHES_OF_IMAGE = 197.0


@dataclass(frozen=True, kw_only=True, slots=True)
class EngineMemory:
    """What an engine makes of the memory of a card."""

    card_share: float | None = None
    """The share of a card within which weights, activations and cache must stay; None: all that is usable."""
    step_tokens: float | None = None
    """Tokens for which one step reserves memory; None: all prompts of a batch are read at once."""
    step_tokens_of_large_cards: float | None = None
    """The same on a card of 60 GiB or more."""
    reads_in_pieces: bool = True
    """Whether a prompt of more tokens than a step has is read in several steps."""
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
        # of all positions of the prompt are raised to fp32 (before 4.45); attention is fused (SDPA, since 4.36).
        Engine.EAGER: EngineMemory(cache_copies=2.0, keeps_scores=False, fragmentation=FRAGMENTATION),
        # XLA, torch.compile (gpt-fast): a cache of fixed size, memory planned by the compiler; tables on every device.
        Engine.COMPILED: EngineMemory(),
        # TensorRT, FasterTransformer, ONNX Runtime: buffers of the largest batch are allocated once, for the last position;
        # the kernels of a whole library are loaded at once (lazily only since CUDA 11.7): 2.1 GiB with the context.
        Engine.OPTIMIZED_RUNTIME: EngineMemory(scores_prompts=False, kernel_bytes=1.6 * GIB),
        # vLLM: gpu_memory_utilization 0.9 holds weights, the activations of a profiled step, and the cache in blocks of
        # 16 tokens; captured graphs lie in the rest. max_num_seqs 256, max_num_batched_tokens 8192 on large cards, 2048
        # on others (docs.vllm.ai, engine arguments). TensorRT-LLM: max_num_tokens 8192, kv_cache_free_gpu_memory_fraction
        # 0.9 of what weights and activations leave. SGLang: chunked_prefill_size 8192 from 60 GiB on, at most 4096 below. TGI:
        # max_batch_prefill_tokens 4096. Long prompts are read in pieces: always in vLLM 1 (docs.vllm.ai, Optimization and
        # Tuning), by default in SGLang, in TGI since 3.
        Engine.LLM_ENGINE: EngineMemory(
            card_share=0.9,
            step_tokens=4096.0,
            step_tokens_of_large_cards=8192.0,
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
    rules: EngineMemory,
    *,
    kinds: str | Sequence[str],
    links: str | Sequence[str],
    device_bytes: float | Array,
    tokens: float,
    input_tokens: float,
    sequences: float | Array,
    degree: float | Array,
    value_scale: float | Array = 1.0,
    cache_degree: float | None = None,
) -> ServingMemory:
    """Return the memory of ``sequences`` requests at a time: ``tokens`` in all, ``input_tokens`` of them the prompt.

    ``rules`` are those of `ENGINES`.
    ``sequences`` of an image model are images. ``degree`` devices share weights and cache, or ``cache_degree`` of them
    the cache. ``kinds`` are ``cuda``, ``neuron`` or ``cpu``, ``links`` are those of `Processor`; ``device_bytes`` is what a
    workload may use of one device.
    ``value_scale`` is the size of a value on the device over that of the model's precision, where the device does not
    have it.
    """
    degree, kind = np.asarray(degree, float), np.asarray(kinds)
    cache: float | Array = 0.0
    if model.architecture.generates:
        layers, width = transformer_shape(model)
        held = np.ceil(tokens / rules.cache_block_tokens) * rules.cache_block_tokens * rules.cache_copies
        cache = cache_bytes_per_token(model, layers, width) * held * sequences / (cache_degree or degree)
    return ServingMemory(
        weights=_resident_bytes(model, kind, degree, rules) * value_scale,
        cache=cache * value_scale * rules.fragmentation,
        activations=_serving_activations(model, rules, kind, device_bytes, input_tokens, sequences, degree)
        * value_scale
        * rules.fragmentation,
        reserve=np.where(kind == "cpu", 0.0, CONTEXT_BYTES)
        + np.where(kind == "cuda", _reserve(rules, np.asarray(links), device_bytes, degree), 0.0),
    )


def host_bytes(model: ModelSpec, kinds: str | Sequence[str]) -> Array:
    """Return what passes through the memory of a host on its way to an accelerator; look-up tables stay there."""
    graph = (np.asarray(kinds) == "neuron") & (not model.architecture.generates)
    return stored_bytes(model) * np.where(graph, NEURON_GRAPH_COPIES, 1.0)


def _reserve(
    rules: EngineMemory, links: NDArray[Any], device_bytes: float | Array, degree: Array
) -> float | Array:
    communication = np.where(links == "pcie", PCIE_COMMUNICATION_BYTES, COMMUNICATION_BYTES)
    beyond = 0.0
    if rules.card_share is not None:
        beyond = 1.0 - rules.card_share * VISIBLE_SHARE / USABLE_ACCELERATOR_SHARE
    return rules.kernel_bytes + np.where(degree > 1, communication, 0.0) + beyond * device_bytes


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
    device_bytes: float | Array,
    input_tokens: float,
    sequences: float | Array,
    degree: float | Array,
) -> float | Array:
    traits = model.architecture.traits
    # Narrow formats are those of weights, and of some activations only.
    value_bytes = max(model.precision.bytes, 2.0)
    if traits.denoises:
        return _drawn_bytes(model, value_bytes) * np.asarray(sequences)
    if traits.alive_share is not None:
        return image_work(model).activations * traits.alive_share * value_bytes * np.asarray(sequences)
    if traits.tabular or traits.look_up_tables:
        return 0.0
    layers, width = transformer_shape(model)
    length = input_tokens or (PATCHES_OF_IMAGE if traits.patches else 1.0)
    # Layers run one after the other: what one of them writes is alive together.
    rows: Array = length * np.asarray(sequences, float)
    if rules.step_tokens is not None:
        card = np.asarray(device_bytes) / USABLE_ACCELERATOR_SHARE
        step = np.where(
            card >= LARGE_CARD_BYTES, rules.step_tokens_of_large_cards or rules.step_tokens, rules.step_tokens
        )
        if not rules.reads_in_pieces:
            step = np.maximum(step, length)
        # A Neuron graph is compiled for the prompt.
        rows = np.where(kind == "neuron", length, step)
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


def _drawn_bytes(model: ModelSpec, value_bytes: float) -> float:
    """Return what one image takes: while its steps are computed, or afterwards, while it is decoded."""
    denoised = image_work(model).activations * DENOISER_ALIVE_SHARE * value_bytes * (1.0 + model.guidance)
    pixels = model.image_pixels or model.architecture.traits.usual_image_pixels
    decoder_bytes = 4.0 if model.precision in (Precision.FP32, Precision.TF32, Precision.FP16) else 2.0
    return max(float(denoised), pixels * DECODED_VALUES_PER_PIXEL * decoder_bytes)


def _feed_forward_width(model: ModelSpec, layers: float, width: float) -> float:
    """Return the width that a token takes in a feed-forward part: all experts that it is sent to, side by side."""
    if (model.active_parameters or model.parameters) < model.parameters:
        # All active weights over those of one unit of width: attention counts as another expert.
        return model.multiplied_parameters / (FEED_FORWARD_VALUES * layers * width)
    return float(model.intermediate_size or 4 * width)
