"""Time of a training step: arithmetic of both passes, activation traffic, the exchange of gradients or shards."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sizewell.instance_selection.estimation.coefficients import Array
from sizewell.instance_selection.estimation.machines import Machines, where_is
from sizewell.instance_selection.estimation.roofline import STREAM_SHARE, reached_flops, smooth_max
from sizewell.instance_selection.estimation.work import attention_flops, forward_work, transformer_shape
from sizewell.instance_selection.requirements import ModelSpec

DECISIVE = ("compute", "traffic")
#: Values written per token, layer and unit of width in a forward pass: 34 bytes in half precision, counted thrice
#: over both passes (Korthikanti et al. 2022, Reducing Activation Recomputation, section 4).
VALUES_PER_TOKEN_AND_WIDTH = 34.0 / 3
#: Attention scores and their dropout masks, per head and pair of positions; fused kernels of decoders keep none.
VALUES_PER_SCORE = 0.4
#: Bytes of a gradient or a weight that is exchanged.
EXCHANGED_BYTES = 2.0
#: Bytes read and written per trained weight by an optimizer step with fp32 states.
UPDATE_BYTES = 16.0
#: Share of an exchange at the end of a step that no computation hides.
EXPOSED_SHARE = 0.5


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


def training_work(model: ModelSpec, sequence_length: float) -> TrainingWork:
    """Return the work of one example."""
    forward = forward_work(model, tokens=sequence_length)
    traits = model.architecture.traits
    if not traits.transformer:
        return TrainingWork(
            forward.flops, 0.0, forward.activations, max(forward.layers, 20.0), 0.0, model.parameters
        )
    if model.forward_flops_per_image and not traits.generates:
        return TrainingWork(
            forward.flops, 0.0, forward.activations, forward.layers, forward.width, model.parameters
        )
    layers, width = transformer_shape(model)
    attention = attention_flops(layers, width, sequence_length, causal=False)
    scores = 0.0 if traits.causal else VALUES_PER_SCORE * max(width / 64, 1)
    activations = layers * sequence_length * (VALUES_PER_TOKEN_AND_WIDTH * width + scores * sequence_length)
    return TrainingWork(
        2.0 * model.multiplied_parameters * sequence_length + attention,
        attention,
        activations,
        layers,
        width,
        model.parameters,
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
    frozen: bool | Array,
    sharded: bool | Array,
    recompute: bool | Array,
) -> Array:
    """Return the seconds of one update of the weights.

    Each of ``workers`` model copies computes ``accumulation`` micro-batches; a copy lies on ``split`` devices.
    ``frozen`` weights (adapters) need no gradients of their own. ``recompute`` repeats the forward pass.
    """
    passes = np.where(frozen, 2.0, 3.0) + np.where(recompute, k["recompute"], 0.0)
    half_flops = np.where(where_is(machines, "arithmetic", "fp8"), machines.flops / 2, machines.flops)
    wide = np.where(np.asarray(work.width) > 0, work.width / (work.width + k["narrow_width"]), 1.0)
    dense = (
        passes * (work.forward_flops - work.attention_flops) / reached_flops(machines, k["compute"] * wide)
    )
    attention = passes * work.attention_flops / (half_flops * k["attention"])
    compute = micro_batch * (dense + attention) / split
    traffic = (
        3
        * micro_batch
        * work.activations
        * machines.value_bytes
        * k["traffic"]
        / split
        / (machines.bandwidth * STREAM_SHARE)
    )
    busy = smooth_max(compute + traffic, work.layers * k["launch_us"] * 1e-6, 2.0)
    several, spread = np.asarray(workers) > 1, np.asarray(sharded, bool)
    trained = trainable_share * work.parameters / split
    shards = (
        np.where(several & spread, 3 * work.parameters / split * EXCHANGED_BYTES, 0.0)
        / link_bandwidth
        * k["exchange"]
    )
    gradients = (
        np.where(several & ~spread, 2 * trained * EXCHANGED_BYTES, 0.0) / link_bandwidth * k["exchange"]
    )
    states = np.where(spread, trained / workers, trained)
    update = states * UPDATE_BYTES / (machines.bandwidth * STREAM_SHARE) * k["update"]
    return np.asarray(accumulation * smooth_max(busy, shards, 2.0) + EXPOSED_SHARE * gradients + update)
