"""The roofline model: arithmetic and memory traffic overlap, and the longer of the two decides."""

import numpy as np

from sizewell.instance_selection.estimation.coefficients import Array
from sizewell.instance_selection.estimation.machines import Machines

#: Share of the bandwidth that streams of weights and activations reach.
STREAM_SHARE = 0.8
#: Rows and columns of one output tile of a matrix product (NVIDIA, Matrix Multiplication Background guide).
TILE = 128.0
#: Matrix products of a transformer block that wait for each other.
PRODUCTS_PER_LAYER = 6.0
#: Bandwidth of the last cache of a GPU relative to its memory (A100: about 5 of 1.6 TB/s).
CACHE_SPEED = 3.0
#: A width up to this is no width of a transformer: convolutions state none.
MIN_WIDTH = 64.0


def smooth_max(a: float | Array, b: float | Array, sharpness: float = 3.0) -> Array:
    """Return what two overlapping times take together: the longer one, and somewhat more where they are alike."""
    if sharpness == 3.0:
        # As below, in a fifth of the time.
        return np.asarray(np.cbrt(a * a * a + b * b * b))
    return np.asarray((a**sharpness + b**sharpness) ** (1 / sharpness))


def reached_flops(machines: Machines, share: Array) -> Array:
    """Return the operations per second at a share of what the power limit allows: never more than the units can do."""
    return np.minimum(machines.flops * share, machines.tile_flops * machines.cores)


def missed_share(working_set: float | Array, cache_bytes: Array) -> Array:
    """Return the cost of activations relative to that of a stream from memory: what the last cache holds is faster."""
    held = cache_bytes / (working_set + cache_bytes)
    return np.asarray(1 - held * (1 - 1 / CACHE_SPEED))


def tile_seconds(width: float | Array, rows: float | Array, tile_flops: Array) -> Array:
    """Return the time that the matrix products of one block take at least, however small they are.

    A product with fewer output tiles than the chip has multiprocessors takes as long as one tile.
    """
    inner = np.where(np.asarray(width) > MIN_WIDTH, width, TILE)
    return np.asarray(PRODUCTS_PER_LAYER * inner * 2 * TILE * (rows * TILE / (rows + TILE)) / tile_flops)
