"""Recurrent networks: a clip of sound, or any sequence, is gone through step by step, as RNN-T does."""

import math

from sizewell.instance_selection.architectures.architecture import Architecture, Traits, architecture
from sizewell.instance_selection.estimation.roofline import PRODUCTS_PER_LAYER
from sizewell.instance_selection.estimation.work import Work
from sizewell.instance_selection.requirements import ModelSpec

#: Cells that follow each other in one step, where they are not stated: those of RNN-T (MLPerf Inference v0.7: 2 + 3 in
#: the encoder, 2 in the prediction network), and of most forecasters (GluonTS, DeepAR: 2).
SPEECH_LAYERS, FORECAST_LAYERS = 7.0, 2.0
#: Steps of a clip of 15 s, where neither they nor the arithmetic of a clip is stated, as the mean of RNN-T's cells: the
#: first two take a step every 30 ms, the next three one every 60 ms, the last two one for each of some 250 letters.
SPEECH_STEPS = 320.0
#: Weights of an LSTM cell over the square of its width: four gates, each of its input and of its state.
WEIGHTS_PER_CELL = 8.0
#: Values that a cell writes per unit of width: four gates, the cell and its output.
VALUES_PER_CELL = 6.0
#: The inner dimension of the one matrix product of a cell, over its input and its state, in widths.
INNER_WIDTHS_PER_CELL = 2.0
#: A cell in blocks of a transformer, the unit of launches and kernels: libraries of recurrent networks fuse the product of
#: a cell and its gates to one kernel (Appleyard et al. 2016, Optimizing Performance of Recurrent Neural Networks on GPUs,
#: section 3), where a framework runs some 25 for a block: eight products, softmax, norms, sums, transpositions.
BLOCKS_PER_CELL = 1 / 25
#: Last cache of current chips (A100 40 MB, L4 48 MB, Xeon 36 MB and more): weights that it holds are not read at each step.
CACHE_BYTES = 36e6


def _assumed(model: ModelSpec) -> tuple[str, ...]:
    lines = assumed_cells(model, SPEECH_LAYERS)
    if model.time_steps:
        return lines
    origin = (
        "so many are its arithmetic over two for each weight"
        if model.forward_flops_per_image
        else "assumed, as RNN-T in 15 s of sound"
    )
    return (f"a clip has {time_steps(model):,.0f} steps, {origin}; model.time_steps says otherwise", *lines)


@architecture(Architecture.RNN, Traits(shards_in_training=False, reads_images=True), _assumed)
def forward_work(model: ModelSpec, tokens: float) -> Work:
    """Return the work of one clip."""
    steps = time_steps(model)
    return recurrent_work(model, sequential=steps, computed=steps, default_layers=SPEECH_LAYERS)


def time_steps(model: ModelSpec) -> float:
    """Return the steps of a clip: as stated, or those in which every weight is multiplied as often as is stated."""
    if model.time_steps:
        return float(model.time_steps)
    if model.forward_flops_per_image:
        return max(1.0, model.forward_flops_per_image / 2.0 / model.multiplied_parameters)
    return SPEECH_STEPS


def recurrent_work(
    model: ModelSpec, *, sequential: float, computed: float, default_layers: float, driven: float = 0.0
) -> Work:
    """Return the work of a network whose cells wait for each other in ``sequential`` steps.

    ``computed`` counts a step as often as it is computed side by side, for several sampled paths. Each cell of each step
    is a kernel that waits for the one before: nothing is faster than so many launches. ``driven`` steps are started by the
    program and not by a library, with what a block of a transformer launches.
    """
    weights = max(model.multiplied_parameters, 1.0)
    layers, width = cell_shape(model, default_layers)
    stored = weights * model.precision.bytes
    reads = 1 + (sequential - 1) * stored / (stored + CACHE_BYTES)
    cells = layers * sequential
    blocks = cells * BLOCKS_PER_CELL + driven
    return Work(
        flops=model.forward_flops_per_image or 2.0 * weights * computed,
        weights=weights * reads,
        activations=VALUES_PER_CELL * width * layers * computed,
        layers=blocks,
        width=width * INNER_WIDTHS_PER_CELL * cells / (blocks * PRODUCTS_PER_LAYER),
        rows=computed / sequential,
    )


def cell_shape(model: ModelSpec, default_layers: float) -> tuple[float, float]:
    """Return cells of a step and their width: as stated, or those of LSTM cells with so many weights."""
    layers = float(model.layers or default_layers)
    weights = max(model.multiplied_parameters, 1.0)
    return layers, float(model.hidden_size) or math.sqrt(weights / layers / WEIGHTS_PER_CELL)


def assumed_cells(model: ModelSpec, default_layers: float) -> tuple[str, ...]:
    """Return which cells are taken, where they are not stated."""
    if model.layers and model.hidden_size:
        return ()
    layers, width = cell_shape(model, default_layers)
    return (
        f"a step goes through {layers:.0f} cells of width {width:,.0f}, assumed from the number of weights",
    )
