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
    overlapped = np.where(
        where_is(machines, "kinds", "neuron"), compute + weights, smooth_max(compute, weights)
    )
    written = batch * work.activations * machines.value_bytes
    traffic = written * k["traffic"] * missed_share(written / work.layers, machines.cache_bytes)
    traffic = traffic / (machines.bandwidth * STREAM_SHARE)
    floor = work.layers * (
        k["kernel_us"] * 1e-6 + k["tile"] * tile_seconds(work.width, batch * work.rows, machines.tile_flops)
    )
    busy = overlapped + traffic + floor
    launched = smooth_max(busy, work.layers * k["launch_us"] * 1e-6)
    return np.asarray((launched + (k["call_us"] + batch * k["item_us"]) * 1e-6) * work.passes)
