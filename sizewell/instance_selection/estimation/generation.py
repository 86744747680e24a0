"""Time of generation: a prompt is read in one pass, then every step writes one token of each sequence.

A step reads all weights and the key/value cache of every sequence, so it is bound by bandwidth until the batch is
large; below that, the launches of the host, the all-reduces of a tensor-parallel group and the bookkeeping of each
sequence decide. Engines with continuous batching read the prompts of others in the same steps, which delays every answer
in progress.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from sizewell.instance_selection.estimation.coefficients import Array, Flags
from sizewell.instance_selection.estimation.machines import Machines, where_is
from sizewell.instance_selection.estimation.roofline import STREAM_SHARE, reached_flops, smooth_max
from sizewell.instance_selection.estimation.work import VALUES_PER_TOKEN_AND_WIDTH, transformer_shape
from sizewell.instance_selection.requirements import ModelSpec, Precision

DECISIVE = ("compute", "bandwidth")
#: Collectives of a tensor-parallel block (Shoeybi et al. 2019, Megatron-LM, section 3).
ALL_REDUCES_PER_LAYER = 2.0
#: Part of the weights and of the layers of an encoder-decoder that write, or read: half of BART, T5 and Whisper each.
HALF_THAT_WRITES = 0.5
#: Bytes of an activation, kept or exchanged.
ACTIVATION_BYTES = 2.0
#: Bytes that a weight adds to what a step moves where a kernel of its own expands it to half precision: it is written and
#: read again, and the last cache catches about half of that (Dettmers et al. 2022, LLM.int8(), section 4: int8 is slower).
EXPANDED_BYTES = 2.0
#: Host links of a node that streams its weights from host memory (ZeRO-3 inference), bytes per second.
HOST_LINK = 25e9
#: Share of a link's bandwidth that gathering the shards of each block reaches.
SHARD_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Decoder:
    """What generation asks of a machine; numbers, or columns of numbers."""

    weights: float | Array
    """Weights that a token is multiplied with."""
    weight_bytes: float | Array
    layers: float | Array
    width: float | Array
    cache_bytes_per_token: float | Array
    """Keys and values of one token of one sequence, over all layers."""
    read_bytes: float | Array
    """What one step reads of the weights at batch 1."""
    stored_bytes: float | Array
    active_share: float | Array = 1.0
    """The part of the weights that one token uses: below 1 in a mixture of experts."""


def cache_bytes_per_token(model: ModelSpec, layers: float, width: float) -> float:
    """Return 2 x layers x key/value width x bytes: two per value unless an engine is told otherwise, four of fp32.

    Engines keep keys and values of fp8 weights in half precision by default (vLLM: kv_cache_dtype).
    """
    value_bytes = 4.0 if model.precision in (Precision.FP32, Precision.TF32) else 2.0
    return 2.0 * layers * (model.kv_hidden_size or width) * value_bytes


def decoder_of(model: ModelSpec, *, expanded: bool = False) -> Decoder:
    """Return the work of a model that generates; ``expanded``: stored weights are expanded by a kernel of its own."""
    layers, width = transformer_shape(model)
    traits = model.architecture.traits
    half = HALF_THAT_WRITES if traits.generates and not traits.causal else 1.0
    layers, weights = half * layers, half * max(model.multiplied_parameters, 1.0)
    active_share = min(1.0, (model.active_parameters or model.parameters) / max(model.parameters, 1.0))
    return Decoder(
        weights=weights,
        weight_bytes=model.precision.bytes,
        layers=layers,
        width=width,
        cache_bytes_per_token=cache_bytes_per_token(model, layers, width),
        read_bytes=weights * (model.precision.bytes + (EXPANDED_BYTES if expanded else 0.0)),
        stored_bytes=model.parameters * model.precision.bytes,
        active_share=active_share,
    )


def experts_read(active_share: float | Array, tokens: float | Array) -> Array:
    """Return how many of the weights a pass over ``tokens`` tokens reads, relative to those of one token.

    Tokens choose their experts by themselves: with n tokens that each use a share a of the weights, a part
    1 - (1 - a)^n is read.
    """
    share = np.asarray(active_share, float)
    # expm1 of a product takes a third of the time of a power.
    logs = np.maximum(tokens, 1.0) * np.log1p(-np.minimum(share, 1 - 1e-12))
    return np.asarray(-np.expm1(logs) / share)


def exchange_seconds(
    decoder: Decoder,
    machines: Machines,
    k: Mapping[str, Array],
    *,
    tokens: float | Array,
    degree: float | Array,
) -> Array:
    """Return the time of the all-reduces of one pass over ``tokens`` tokens.

    Devices that read each other's memory take one step, however many they are; over PCIe a ring takes one for each device
    but one (vllm-project/vllm, pull request 2192: "Latency-optimal allreduce").
    """
    degree = np.asarray(degree, float)
    steps = np.where(where_is(machines, "links", "pcie"), degree - 1.0, 1.0)
    latency = k["all_reduce_us"] * 1e-6 * steps
    moved = 2 * tokens * decoder.width * ACTIVATION_BYTES * (degree - 1) / degree
    transfer = moved / (machines.link_bandwidth * k["link"])
    return np.where(degree > 1, ALL_REDUCES_PER_LAYER * decoder.layers * (latency + transfer), 0.0)


def _busy_seconds(
    decoder: Decoder,
    machines: Machines,
    k: Mapping[str, Array],
    *,
    sequences: float | Array,
    context: float | Array,
    prompt_tokens: float | Array,
    prompt_length: float | Array,
    degree: float | Array,
) -> Array:
    """Return how long arithmetic and memory of each device are busy in one pass.

    The pass holds one token of each of ``sequences`` with ``context`` tokens in their caches, and ``prompt_tokens`` of
    prompts of ``prompt_length`` tokens. Each of the latter attends to half of its prompt.
    """
    tokens = sequences + prompt_tokens
    read = decoder.read_bytes * experts_read(decoder.active_share, tokens)
    weights = read / degree / (machines.bandwidth * k["bandwidth"])
    flops = (
        2.0 * decoder.weights * tokens + 2.0 * decoder.layers * decoder.width * prompt_tokens * prompt_length
    )
    compute = flops / degree / reached_flops(machines, k["compute"])
    written = decoder.layers * VALUES_PER_TOKEN_AND_WIDTH * decoder.width * prompt_tokens * ACTIVATION_BYTES
    traffic = written * k["traffic"] / degree / (machines.bandwidth * STREAM_SHARE)
    cache = sequences * decoder.cache_bytes_per_token * context / degree
    return np.asarray(
        smooth_max(weights, compute) + traffic + cache / (machines.bandwidth * k["cache_bandwidth"])
    )


def step_seconds(
    decoder: Decoder,
    machines: Machines,
    k: Mapping[str, Array],
    *,
    sequences: float | Array,
    context: float | Array,
    degree: float | Array,
    prompt_tokens: float | Array = 0.0,
    prompt_length: float | Array = 0.0,
    pipelined: bool | Flags = False,
    streamed: bool | Flags = False,
) -> Array:
    """Return the seconds in which each of ``sequences`` gets one more token, with ``context`` tokens in its cache.

    ``prompt_tokens`` of prompts of ``prompt_length`` tokens are read in the same step. ``degree`` is the
    tensor-parallel degree. ``pipelined``: the layers lie on several devices, one after the other. ``streamed``: the
    weights come from host memory at every step.
    """
    busy = _busy_seconds(
        decoder,
        machines,
        k,
        sequences=sequences,
        context=context,
        prompt_tokens=prompt_tokens,
        prompt_length=prompt_length,
        degree=degree,
    )
    launch = decoder.layers * k["step_us"] * 1e-6
    busy = np.where(pipelined, busy + 0.5 * launch, smooth_max(busy, launch, 2.0))
    exchange = exchange_seconds(decoder, machines, k, tokens=sequences + prompt_tokens, degree=degree)
    total = busy + exchange + sequences * k["sequence_us"] * 1e-6
    if not np.any(streamed):
        return total
    # Shards lie in the memory of the other devices where it holds them, otherwise on the host.
    shards_fit = decoder.stored_bytes <= machines.memory_bytes * machines.count
    source = np.where(shards_fit, machines.link_bandwidth * SHARD_SHARE, HOST_LINK)
    return np.asarray(np.where(streamed, total + decoder.stored_bytes / source, total))


def prefill_seconds(
    decoder: Decoder,
    machines: Machines,
    k: Mapping[str, Array],
    *,
    tokens: float | Array,
    sequences: float | Array,
    degree: float | Array,
) -> Array:
    """Return the seconds until the first token of ``sequences`` prompts of ``tokens`` tokens that are read together."""
    busy = _busy_seconds(
        decoder,
        machines,
        k,
        sequences=0.0,
        context=0.0,
        prompt_tokens=sequences * tokens,
        prompt_length=tokens,
        degree=degree,
    )
    busy = smooth_max(busy, decoder.layers * k["step_us"] * 1e-6, 2.0)
    exchange = exchange_seconds(decoder, machines, k, tokens=sequences * tokens, degree=degree)
    return np.asarray(busy + exchange + k["call_us"] * 1e-6)


@dataclass(frozen=True, slots=True)
class Served:
    """What a group of machines does with a number of requests in progress; seconds."""

    first_token: Array
    """From the arrival of a request that finds a free place among them."""
    step: Array
    """Between two tokens of an answer, the prompts of others included."""
    request: Array

    def each(self, change: Callable[[Array], Array]) -> "Served":
        """Return the same with every part changed."""
        return Served(change(self.first_token), change(self.step), change(self.request))


def serve(
    decoder: Decoder,
    machines: Machines,
    k: Mapping[str, Array],
    *,
    input_tokens: float | Array,
    output_tokens: float | Array,
    sequences: float | Array,
    degree: float | Array,
    continuous: bool | Flags,
    fused: bool | Flags = True,
    slots: float | Array = 1.0,
    in_waves: bool | Flags = False,
    interrupted: float | Array = 1.0,
    pipelined: bool | Flags = False,
    streamed: bool | Flags = False,
) -> Served:
    """Return the times of a request while ``sequences`` requests are in progress, a new one for each that ends.

    With continuous batching, each answer takes as many steps as it has tokens, and the prompts of all others are read
    meanwhile: in the same steps (``fused``), or in passes of their own between them. Without it, all prompts of a
    batch are read together before the first step.

    ``in_waves``: requests are alike and begin together, so that half of the other prompts are read before an average one.
    ``interrupted``: the share of the other prompts that is read between the steps of an answer, rather than before them.

    A graph of NeuronCores is static: each step computes all ``slots`` that were compiled and attends to caches of the
    full length, and a prompt is padded to a power of two (Neuron documentation, "Context encoding and bucketing").
    """
    neuron = where_is(machines, "kinds", "neuron")
    longest = input_tokens + output_tokens
    prompt = np.where(
        neuron, np.minimum(2.0 ** np.ceil(np.log2(np.maximum(input_tokens, 1.0))), longest), input_tokens
    )
    computed = np.where(neuron, np.maximum(sequences, slots), sequences)
    context = np.where(neuron, longest, input_tokens + 0.5 * output_tokens)
    steps = np.maximum(output_tokens, 1.0)
    others = np.maximum(sequences - 1.0, 0.0)
    joined = np.asarray(continuous, bool) & np.asarray(fused, bool) & ~neuron

    def step_with(prompt_tokens: float | Array) -> Array:
        return step_seconds(
            decoder,
            machines,
            k,
            sequences=computed,
            context=context,
            degree=degree,
            prompt_tokens=prompt_tokens,
            prompt_length=prompt,
            pipelined=pipelined,
            streamed=streamed,
        )

    alone = prefill_seconds(decoder, machines, k, tokens=prompt, sequences=1.0, degree=degree)
    together = prefill_seconds(decoder, machines, k, tokens=prompt, sequences=sequences, degree=degree)
    step = step_with(np.where(joined, interrupted * others * prompt / steps, 0.0))
    # The host prepares the prompts of others too.
    step = step + np.where(joined, interrupted * others / steps * k["call_us"] * 1e-6, 0.0)
    # A prompt that arrives waits for half of the step in progress, and is read with a token of each other answer.
    among = 0.5 * step + np.where(joined, np.maximum(alone, step_with(np.where(joined, prompt, 0.0))), alone)
    if np.any(in_waves):
        among = among + np.where(in_waves, 0.5 * (together - alone + others * k["call_us"] * 1e-6), 0.0)
    first = np.where(continuous, np.where(others > 0, among, alone), together)
    # Prompts that wait at the same time are read together, which helps as long as reading weights takes longest.
    interruptions = interrupted * (sequences * alone + together) / 2 / steps
    step = np.where(np.asarray(continuous, bool) & ~joined & (others > 0), step + interruptions, step)
    return Served(first, step, first + np.maximum(steps - 1.0, 0.0) * step)
