"""Time of generation: a prompt is read in one pass, then every step writes one token of each sequence.

A step reads all weights and the key/value cache of every sequence, so it is bound by bandwidth until the batch is
large; below that, the launches of the host, the all-reduces of a tensor-parallel group and the bookkeeping of each
sequence decide.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sizewell.instance_selection.estimation.coefficients import Array
from sizewell.instance_selection.estimation.hardware import USABLE_ACCELERATOR_SHARE
from sizewell.instance_selection.estimation.machines import Machines
from sizewell.instance_selection.estimation.roofline import STREAM_SHARE, smooth_max
from sizewell.instance_selection.estimation.work import transformer_shape
from sizewell.instance_selection.requirements import ModelSpec, Precision

DECISIVE = ("compute", "bandwidth")
#: Collectives of a tensor-parallel block (Shoeybi et al. 2019, Megatron-LM, section 3).
ALL_REDUCES_PER_LAYER = 2.0
#: A mixture of experts routes, sorts and gathers its tokens around two grouped products (Gale et al. 2022, MegaBlocks).
KERNELS_OF_MIXTURE = 1.7
#: Bytes of an activation that is exchanged.
EXCHANGED_BYTES = 2.0
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
    kernels: float | Array = 1.0
    """Kernels of a block, relative to a dense one."""


def cache_bytes_per_token(model: ModelSpec, layers: float, width: float) -> float:
    """Return 2 x layers x key/value width x bytes; fp8 models keep an fp8 cache, all others two bytes per value."""
    value_bytes = (
        1.0 if model.precision is Precision.FP8 else 4.0 if model.precision is Precision.FP32 else 2.0
    )
    return 2.0 * layers * (model.kv_hidden_size or width) * value_bytes


def decoder_of(model: ModelSpec) -> Decoder:
    """Return the work of a model that generates."""
    layers, width = transformer_shape(model)
    weights = max(model.multiplied_parameters, 1.0)
    return Decoder(
        weights=weights,
        weight_bytes=model.precision.bytes,
        layers=layers,
        width=width,
        cache_bytes_per_token=cache_bytes_per_token(model, layers, width),
        read_bytes=weights * model.precision.bytes,
        stored_bytes=model.parameters * model.precision.bytes,
        kernels=KERNELS_OF_MIXTURE
        if (model.active_parameters or model.parameters) < model.parameters
        else 1.0,
    )


def experts_read(model: ModelSpec, sequences: float | Array) -> float | Array:
    """Return how many of the stored weights a step reads, relative to those of one token.

    Tokens of different sequences choose different experts: with n sequences that each use a share a, a part
    1 - (1 - a)^n of a mixture is read (independent choices).
    """
    if model.active_parameters is None or model.active_parameters >= model.parameters:
        return 1.0
    share = model.active_parameters / model.parameters
    return (1 - (1 - share) ** sequences) / share


def exchange_seconds(
    decoder: Decoder,
    machines: Machines,
    k: Mapping[str, Array],
    *,
    tokens: float | Array,
    degree: float | Array,
) -> Array:
    """Return the time of the all-reduces of one pass over ``tokens`` tokens."""
    degree = np.asarray(degree, float)
    latency = k["all_reduce_us"] * 1e-6 * np.log2(np.maximum(degree, 2))
    moved = 2 * tokens * decoder.width * EXCHANGED_BYTES * (degree - 1) / degree
    transfer = moved / (machines.link_bandwidth * k["link"])
    return np.where(degree > 1, ALL_REDUCES_PER_LAYER * decoder.layers * (latency + transfer), 0.0)


def step_seconds(
    decoder: Decoder,
    machines: Machines,
    k: Mapping[str, Array],
    *,
    sequences: float | Array,
    context: float | Array,
    degree: float | Array,
    pipelined: bool | Array = False,
    streamed: bool | Array = False,
    experts: float | Array = 1.0,
) -> Array:
    """Return the seconds in which each of ``sequences`` gets one more token, with ``context`` tokens in its cache.

    ``degree`` is the tensor-parallel degree. ``pipelined``: the layers lie on several devices, one after the other.
    ``streamed``: the weights come from host memory at every step.
    """
    read = decoder.read_bytes * experts / degree / (machines.bandwidth * k["bandwidth"])
    compute = 2.0 * decoder.weights * sequences / degree / (machines.flops * k["compute"])
    cache = (
        sequences
        * decoder.cache_bytes_per_token
        * context
        / degree
        / (machines.bandwidth * k["cache_bandwidth"])
    )
    busy = smooth_max(read, compute) + cache
    launch = decoder.layers * decoder.kernels * k["step_us"] * 1e-6
    busy = np.where(pipelined, busy + 0.5 * launch, smooth_max(busy, launch, 2.0))
    exchange = exchange_seconds(decoder, machines, k, tokens=sequences, degree=degree)
    # Workers of a group without a fast link share the host's cores and its memory for bookkeeping.
    crowd = np.where(np.asarray(machines.links) == "pcie", np.sqrt(degree), 1.0)
    total = busy + exchange + sequences * k["sequence_us"] * 1e-6 * crowd
    # Shards lie in the memory of the other devices where it holds them, otherwise on the host.
    shards_fit = decoder.stored_bytes <= USABLE_ACCELERATOR_SHARE * machines.memory_bytes * machines.count
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
    attention = 2.0 * decoder.layers * decoder.width * tokens * tokens
    flops = sequences * (2.0 * decoder.weights * tokens + attention)
    compute = flops / degree / (machines.flops * k["compute"])
    read = decoder.read_bytes / degree / (machines.bandwidth * k["bandwidth"])
    values = sequences * decoder.layers * 14.0 * decoder.width * tokens
    traffic = values * 2.0 * k["traffic"] / degree / (machines.bandwidth * STREAM_SHARE)
    busy = smooth_max(smooth_max(compute, read) + traffic, decoder.layers * k["launch_us"] * 1e-6, 2.0)
    exchange = exchange_seconds(decoder, machines, k, tokens=sequences * tokens, degree=degree)
    return np.asarray(busy + exchange + k["call_us"] * 1e-6)


@dataclass(frozen=True, slots=True)
class Served:
    """What a group of machines does with a number of requests in progress; seconds."""

    first_token: Array
    step: Array
    request: Array


def serve(
    decoder: Decoder,
    machines: Machines,
    k: Mapping[str, Array],
    *,
    input_tokens: float | Array,
    output_tokens: float | Array,
    sequences: float | Array,
    degree: float | Array,
    continuous: bool | Array,
    pipelined: bool | Array = False,
    streamed: bool | Array = False,
    experts: float | Array = 1.0,
) -> Served:
    """Return the times of a request while ``sequences`` requests are in progress.

    With continuous batching a prompt is read alone and interrupts the others; otherwise all prompts of a batch are
    read together. NeuronCores attend to a cache of fixed length, so the whole of it is read at every step.
    """
    whole = np.asarray(machines.kinds) == "neuron"
    context = input_tokens + np.where(whole, 1.0, 0.5) * output_tokens
    step = step_seconds(
        decoder,
        machines,
        k,
        sequences=sequences,
        context=context,
        degree=degree,
        pipelined=pipelined,
        streamed=streamed,
        experts=experts,
    )
    alone = prefill_seconds(decoder, machines, k, tokens=input_tokens, sequences=1.0, degree=degree)
    together = prefill_seconds(decoder, machines, k, tokens=input_tokens, sequences=sequences, degree=degree)
    first = np.where(continuous, alone, together)
    # Prompts that wait at the same time are read together, which helps as long as reading weights takes longest.
    interruptions = (sequences * alone + together) / 2 / np.maximum(output_tokens, 1.0)
    interrupted = np.asarray(continuous, bool) & (np.asarray(sequences) > 1)
    step = np.where(interrupted, step + interruptions, step)
    return Served(first, step, first + output_tokens * step)
