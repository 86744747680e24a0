"""Time of one inference that is a single forward pass: encoders, image models, look-ups.

Arithmetic and weights overlap, activations add to them, every block costs at least a few dependent kernels, and a
host that launches the kernels one by one may be slower than all of this.
"""

from collections.abc import Mapping

import numpy as np

from sizewell.instance_selection.estimation.coefficients import Array
from sizewell.instance_selection.estimation.machines import Machines, where_is
from sizewell.instance_selection.estimation.roofline import (
    STREAM_SHARE,
    missed_share,
    reached_flops,
    smooth_max,
    tile_seconds,
)
from sizewell.instance_selection.estimation.work import Work

#: Part of the time of one output tile on one multiprocessor that a small matrix product takes at least: others fill the rest.
TILE_SHARE = 0.15
#: Part of the activations of a NeuronCore that pass through the memory of its chip: the compiler keeps others beside the engines
#: (Neuron documentation, NeuronCore-v2 architecture, SBUF).
NEURON_TRAFFIC = 0.1
#: Bytes that a CPU moves for an activation over those of a GPU: it reads a line of memory before it writes to it.
CPU_TRAFFIC = 2.0
#: Time of a block of a compiled graph on a NeuronCore: instructions follow each other within microseconds.
NEURON_BLOCK_S = 3e-6
#: What copies from pageable memory of the host reach, bytes per second: half of PCIe 3.0 x16.
HOST_LINK = 8e9
#: The coefficients that tell how sure an estimate is.
DECISIVE = ("compute",)


def forward_seconds(
    work: Work,
    machines: Machines,
    coefficients: Mapping[str, Array],
    *,
    weight_bytes: float | Array,
    batch: float | Array = 1.0,
    bandwidth: Array | None = None,
) -> Array:
    """Return the seconds of a batch on each machine.

    ``weight_bytes`` is per weight. ``bandwidth`` replaces that of the machine (bytes per second).
    """
    k = coefficients
    stream = (machines.bandwidth if bandwidth is None else bandwidth) * STREAM_SHARE
    compute = batch * work.flops / reached_flops(machines, k["compute"])
    weights = work.weights * weight_bytes / stream
    # NeuronCores load weights and compute one after the other; GPUs and CPUs overlap both.
    on_neuron, on_cpu = where_is(machines, "kinds", "neuron"), where_is(machines, "kinds", "cpu")
    overlapped = np.where(on_neuron, compute + weights, smooth_max(compute, weights))
    # Dynamic quantization computes the products of a transformer in int8 and all else in fp32.
    wide = on_cpu & where_is(machines, "arithmetic", "int8") & (np.asarray(work.width) > 0)
    written = batch * work.activations * np.where(wide, 4.0, machines.value_bytes)
    passes = np.where(on_neuron, NEURON_TRAFFIC, k["traffic"] * np.where(on_cpu, CPU_TRAFFIC, 1.0))
    traffic = written * passes * missed_share(written / work.layers, machines.cache_bytes)
    traffic = traffic / (machines.bandwidth * STREAM_SHARE)
    block = np.where(on_neuron, NEURON_BLOCK_S, k["kernel_us"] * 1e-6)
    floor = block + TILE_SHARE * tile_seconds(work.width, batch * work.rows, machines.tile_flops)
    busy = overlapped + traffic + work.layers * floor
    # One compiled graph of Neuron is launched whole.
    launches = np.where(on_neuron, 0.0, k["launch_us"] * 1e-6)
    launched = smooth_max(busy, work.layers * launches)
    copied = batch * work.input_bytes / HOST_LINK * k["copy"]
    return np.asarray((launched + k["call_us"] * 1e-6 + copied) * work.passes)
