"""Time of a training step: arithmetic of both passes, activation traffic, the exchange of gradients or shards."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sizewell.instance_selection.estimation.coefficients import Array, Flags
from sizewell.instance_selection.estimation.machines import Machines, where_is
from sizewell.instance_selection.estimation.roofline import STREAM_SHARE, reached_flops, smooth_max
from sizewell.instance_selection.estimation.work import (
    HEAD_WIDTH,
    attention_flops,
    forward_work,
    transformer_shape,
)
from sizewell.instance_selection.requirements import ModelSpec

DECISIVE = ("compute", "traffic")
#: Values written per token, layer and unit of width in a forward pass: 34 bytes in half precision, counted thrice
#: over both passes (Korthikanti et al. 2022, Reducing Activation Recomputation, section 4).
VALUES_PER_TOKEN_AND_WIDTH = 34.0 / 3
#: Attention scores and their dropout masks, per head and pair of positions; fused kernels of decoders keep none.
VALUES_PER_SCORE = 0.4
#: The same where no kernel of attention is fused: product, scale, mask, softmax and dropout each write all scores.
VALUES_PER_UNFUSED_SCORE = 5.0
#: Bytes of a gradient or a weight that is exchanged.
EXCHANGED_BYTES = 2.0
#: Bytes read and written per trained weight by an optimizer step with fp32 states.
UPDATE_BYTES = 16.0
#: Share of a step in which gradients are computed: they are exchanged meanwhile, layer by layer (Li et al. 2020, PyTorch
#: Distributed, section 3.2.3).
BACKWARD_SHARE = 2.0 / 3
#: Passes over activations: written in the forward pass, read and followed by gradients in the backward pass.
ACTIVATION_PASSES = 3.0
#: Launches of a forward pass over those of a whole step: a backward pass starts twice as many kernels.
FORWARD_LAUNCHES = 1.0 / 3
#: Share of a forward pass that full recomputation repeats: it adds 39 % to a step, or less where an implementation leaves out the
#: last products of a block (Korthikanti et al. 2022, Reducing Activation Recomputation, table 4).
RECOMPUTED_SHARE = 0.7
#: A product of inner dimension h reaches h / (h + this) of the efficiency of a wide one: 84 % at 1,024 (NVIDIA, Matrix
#: Multiplication Background guide).
NARROW_WIDTH = 200.0
#: What attention reaches of the half-precision peak where all scores are counted: fused causal kernels skip half of them at 35 to
#: 55 % of peak (Dao 2023, FlashAttention-2, section 4).
ATTENTION_SHARE = 0.6
#: Time of the kernel that expands weights of four bits over that of their bytes: 3.3 to 5.4 on an A800 (bitsandbytes issue 1319).
EXPANSION_PASSES = 5.0
#: What a NeuronCore reaches of the share that a GPU does: 15 to 35 % of its peak (Neuron documentation, Trn1 training).
NEURON_SHARE = 0.4
#: What is reached between cards without links of their own: through host memory, 10 of the 31.5 GB/s of PCIe 4.0 x16 in each
#: direction (eight A40, P2P disabled: NVIDIA nccl-tests issue 74). Consumer cards and most instances have no peer access.
HOST_PATH_SHARE = 1.0 / 3


@dataclass(frozen=True, slots=True)
class TrainingWork:
    """One example (an image, or a sequence) in training; numbers, or columns of numbers."""

    forward_flops: float | Array
    attention_flops: float | Array
    """The part of the forward pass that attention takes: no fp8 kernel computes it."""
    activations: float | Array
    layers: float | Array
    width: float | Array
    parameters: float | Array


def training_work(model: ModelSpec, sequence_length: float, *, fused_attention: bool = True) -> TrainingWork:
    """Return the work of one example; ``fused_attention``: a decoder does not write its scores to memory."""
    forward = forward_work(model, tokens=sequence_length)
    traits = model.architecture.traits
    if not traits.transformer:
        # Of look-up tables a step changes only the rows that it has read: fewer values than its activations.
        changed = model.multiplied_parameters if traits.look_up_tables else model.parameters
        return TrainingWork(forward.flops, 0.0, forward.activations, forward.layers, 0.0, changed)
    if model.forward_flops_per_image and not traits.generates:
        return TrainingWork(
            forward.flops, 0.0, forward.activations, forward.layers, forward.width, model.parameters
        )
    layers, width = transformer_shape(model)
    attention = attention_flops(layers, width, sequence_length, causal=False)
    heads = max(width / HEAD_WIDTH, 1.0)
    scores = heads * VALUES_PER_SCORE
    if traits.causal:
        scores = 0.0 if fused_attention else heads * VALUES_PER_UNFUSED_SCORE
    activations = layers * sequence_length * (VALUES_PER_TOKEN_AND_WIDTH * width + scores * sequence_length)
    return TrainingWork(
        2.0 * model.multiplied_parameters * sequence_length + attention,
        attention,
        activations,
        layers,
        width,
        model.parameters,
    )


def exchange_bandwidth(machines: Machines) -> Array:
    """Return what collectives reach between the devices of an instance, bytes per second in one direction."""
    return np.asarray(
        machines.link_bandwidth * np.where(where_is(machines, "links", "pcie"), HOST_PATH_SHARE, 1.0)
    )


def step_seconds(
    work: TrainingWork,
    machines: Machines,
    k: Mapping[str, Array],
    *,
    micro_batch: float | Array,
    accumulation: float | Array,
    workers: float | Array,
    split: float | Array,
    link_bandwidth: Array,
    trainable_share: float | Array,
    frozen: bool | Flags,
    sharded: bool | Flags,
    recompute: bool | Flags,
    stored_bytes: float | Array = EXCHANGED_BYTES,
) -> Array:
    """Return the seconds of one update of the weights.

    Each of ``workers`` model copies computes ``accumulation`` micro-batches; a copy lies on ``split`` devices.
    ``frozen`` weights (adapters) need no gradients of their own; of ``stored_bytes`` below those of half precision, they
    are expanded before each use. ``recompute`` repeats the forward pass.
    """
    repeated = np.where(recompute, 1.0, 0.0)
    passes = np.where(frozen, 2.0, 3.0) + repeated * RECOMPUTED_SHARE
    half_flops = np.where(where_is(machines, "arithmetic", "fp8"), machines.flops / 2, machines.flops)
    wide = np.where(np.asarray(work.width) > 0, work.width / (work.width + NARROW_WIDTH), 1.0)
    share = k["compute"] * np.where(where_is(machines, "kinds", "neuron"), NEURON_SHARE, 1.0)
    dense = passes * (work.forward_flops - work.attention_flops) / reached_flops(machines, share * wide)
    attention = passes * work.attention_flops / (half_flops * ATTENTION_SHARE)
    compute = micro_batch * (dense + attention) / split
    traffic = (
        (ACTIVATION_PASSES + repeated)
        * micro_batch
        * work.activations
        * machines.value_bytes
        * k["traffic"]
        / split
        / (machines.bandwidth * STREAM_SHARE)
    )
    # A kernel of its own reads narrow weights and writes them in half precision, in each pass.
    expanded = np.where(
        np.asarray(stored_bytes) < EXCHANGED_BYTES,
        (2.0 + repeated) * work.parameters / split * (stored_bytes + EXCHANGED_BYTES),
        0.0,
    )
    expansion = expanded / (machines.bandwidth * STREAM_SHARE) * EXPANSION_PASSES
    launches = work.layers * k["launch_us"] * 1e-6 * (1.0 + FORWARD_LAUNCHES * repeated)
    busy = smooth_max(compute + traffic + expansion, launches, 2.0)
    spread = np.asarray(sharded, bool)
    # In a ring each of n devices passes on all but its own n-th part.
    ring = (np.asarray(workers, float) - 1) / workers
    trained = trainable_share * work.parameters / split
    # Weights are gathered for both passes, gradients of those that are trained scattered once.
    gathered = 2 * work.parameters / split * stored_bytes + trained * EXCHANGED_BYTES
    shards = np.where(spread, ring * gathered, 0.0) / link_bandwidth
    gradients = np.where(spread, 0.0, ring * 2 * trained * EXCHANGED_BYTES) / link_bandwidth
    backward = BACKWARD_SHARE * busy
    exposed = smooth_max(backward, gradients, 2.0) - backward
    states = np.where(spread, trained / workers, trained)
    update = states * UPDATE_BYTES / (machines.bandwidth * STREAM_SHARE)
    return np.asarray(accumulation * smooth_max(busy, shards, 2.0) + exposed + update)
