"""Each architecture: how its models compute, the work of one forward pass, and what that assumes."""

import math
from dataclasses import replace

from sizewell.instance_selection.architectures import Architecture, Description, Traits
from sizewell.instance_selection.estimation.roofline import PRODUCTS_PER_LAYER
from sizewell.instance_selection.estimation.work import (
    PATCH_PIXELS,
    Work,
    assumed_arithmetic,
    assumed_shape,
    image_flops,
    image_work,
    transformer_work,
)
from sizewell.instance_selection.requirements import ModelSpec

#: Matrices of both perceptrons of DLRM (Naumov et al. 2019), one after the other.
RECOMMENDER_LAYERS = 8.0
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


def _encoder_work(model: ModelSpec, tokens: float) -> Work:
    """Return the work of a text, or of an image where the arithmetic of one is stated."""
    if not image_flops(model):
        return transformer_work(model, tokens)
    work = image_work(model)
    pixels = model.image_pixels or model.architecture.traits.usual_image_pixels
    # Patches go through matrix products of the model's width, one row for each and one for the class.
    return (
        replace(work, width=float(model.hidden_size), rows=pixels / PATCH_PIXELS + 1)
        if model.hidden_size
        else work
    )


def _image_work(model: ModelSpec, tokens: float) -> Work:
    """Return the work of one image."""
    return image_work(model)


def _diffusion_work(model: ModelSpec, tokens: float) -> Work:
    """Return the work of one image: all steps, each computed twice with guidance."""
    step = image_work(model)
    branches = 2.0 if model.guidance else 1.0
    return replace(
        step,
        flops=branches * step.flops,
        activations=branches * step.activations,
        # The text encoder and the decoder of images are not part of a step.
        weights=model.active_parameters or model.parameters,
        passes=float(model.denoising_steps),
        input_bytes=0.0,
    )


def _recommender_work(model: ModelSpec, tokens: float) -> Work:
    """Return the work of one row: two operations for each weight that is no table's, unless they are stated."""
    weights = model.multiplied_parameters
    flops = model.forward_flops_per_image or 2.0 * weights
    activations = model.activations_per_image or flops / model.architecture.traits.flops_per_activation
    return Work(flops, weights, activations, float(model.layers or RECOMMENDER_LAYERS), width=0.0, rows=128.0)


def _trees_work(model: ModelSpec, tokens: float) -> Work:
    """Return the work of one row: a comparison at each level of each tree."""
    nodes = float(model.trees * model.tree_depth)
    return Work(nodes, model.parameters, float(model.trees), float(model.tree_depth), width=0.0, rows=1.0)


def _linear_work(model: ModelSpec, tokens: float) -> Work:
    """Return the work of one row: each weight is multiplied once."""
    return Work(2.0 * model.parameters, model.parameters, 1.0, layers=1.0, width=0.0, rows=1.0)


def _clip_work(model: ModelSpec, tokens: float) -> Work:
    """Return the work of one clip."""
    steps = _time_steps(model)
    return _recurrent_work(model, sequential=steps, computed=steps, default_layers=SPEECH_LAYERS)


def _time_steps(model: ModelSpec) -> float:
    """Return the steps of a clip: as stated, or those in which every weight is multiplied as often as is stated."""
    if model.time_steps:
        return float(model.time_steps)
    if model.forward_flops_per_image:
        return max(1.0, model.forward_flops_per_image / 2.0 / model.multiplied_parameters)
    return SPEECH_STEPS


def _recurrent_work(
    model: ModelSpec, *, sequential: float, computed: float, default_layers: float, driven: float = 0.0
) -> Work:
    """Return the work of a network whose cells wait for each other in ``sequential`` steps.

    ``computed`` counts a step as often as it is computed side by side, for several sampled paths. Each cell of each step
    is a kernel that waits for the one before: nothing is faster than so many launches. ``driven`` steps are started by the
    program and not by a library, with what a block of a transformer launches.
    """
    weights = max(model.multiplied_parameters, 1.0)
    layers, width = _cell_shape(model, default_layers)
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


def _cell_shape(model: ModelSpec, default_layers: float) -> tuple[float, float]:
    """Return cells of a step and their width: as stated, or those of LSTM cells with so many weights."""
    layers = float(model.layers or default_layers)
    weights = max(model.multiplied_parameters, 1.0)
    return layers, float(model.hidden_size) or math.sqrt(weights / layers / WEIGHTS_PER_CELL)


def _assumed_cells(model: ModelSpec, default_layers: float) -> tuple[str, ...]:
    """Return which cells are taken, where they are not stated."""
    if model.layers and model.hidden_size:
        return ()
    layers, width = _cell_shape(model, default_layers)
    return (
        f"a step goes through {layers:.0f} cells of width {width:,.0f}, assumed from the number of weights",
    )


def _assumed_steps(model: ModelSpec) -> tuple[str, ...]:
    lines = _assumed_cells(model, SPEECH_LAYERS)
    if model.time_steps:
        return lines
    origin = (
        "computed from its arithmetic, at two operations for each weight"
        if model.forward_flops_per_image
        else "assumed, as RNN-T in 15 s of sound"
    )
    return (f"a clip has {_time_steps(model):,.0f} steps, {origin}; model.time_steps changes that", *lines)


def _forecast_work(model: ModelSpec, tokens: float) -> Work:
    """Return the work of the forecast of one series.

    A recurrent network goes through the past once, and through the future once for each path that it draws, all paths
    side by side (Salinas et al. 2017, DeepAR, section 3). A transformer reads patches of the past beside those of the
    future in one pass (Woo et al. 2024, Moirai; a head on the past alone, as in Nie et al. 2023, PatchTST, takes less).
    """
    past, future = float(model.time_steps), float(model.forecast_steps)
    if not model.patch_length:
        return _recurrent_work(
            model,
            sequential=max(past + future, 1.0),
            computed=max(past + model.samples * future, 1.0),
            default_layers=FORECAST_LAYERS,
            # What is drawn is the input of the next step.
            driven=future if model.samples > 1 else 0.0,
        )
    patches = max(math.ceil(past / model.patch_length) + math.ceil(future / model.patch_length), 1)
    work = transformer_work(model, float(patches))
    return replace(work, flops=model.forward_flops_per_image or work.flops)


def _assumed_forecaster(model: ModelSpec) -> tuple[str, ...]:
    return assumed_shape(model) if model.patch_length else _assumed_cells(model, FORECAST_LAYERS)


def _assumed_of_encoder(model: ModelSpec) -> tuple[str, ...]:
    return () if model.forward_flops_per_image else assumed_shape(model)


DESCRIPTIONS = {
    Architecture.ENCODER: Description(
        Traits(transformer=True, has_logits=False, patches=True, flops_per_activation=2000.0),
        _encoder_work,
        _assumed_of_encoder,
    ),
    Architecture.DECODER: Description(
        Traits(transformer=True, generates=True, causal=True, width_per_layer=100.0),
        transformer_work,
        assumed_shape,
    ),
    Architecture.ENCODER_DECODER: Description(
        Traits(transformer=True, generates=True), transformer_work, assumed_shape
    ),
    Architecture.CNN: Description(
        Traits(
            network="cnn",
            reads_images=True,
            shards_in_training=False,
            # The median of the presets, each at its own size: a filter is multiplied once for each position.
            flops_per_weight=320.0,
            flops_per_activation=740.0,
            alive_share=0.5,
        ),
        _image_work,
        assumed_arithmetic,
    ),
    Architecture.DIFFUSION: Description(
        Traits(
            network="diffusion",
            denoises=True,
            # The median of the presets that are transformers, as new models are, each at its own size; 180 of those before.
            flops_per_weight=300.0,
            usual_image_pixels=1024 * 1024,
            flops_per_activation=3500.0,
        ),
        _diffusion_work,
        assumed_arithmetic,
    ),
    Architecture.RNN: Description(
        Traits(shards_in_training=False, reads_images=True), _clip_work, _assumed_steps
    ),
    Architecture.TIME_SERIES: Description(
        Traits(has_logits=False, shards_in_training=False, reads_images=True),
        _forecast_work,
        _assumed_forecaster,
    ),
    Architecture.RECOMMENDER: Description(Traits(look_up_tables=True), _recommender_work, assumed_arithmetic),
    Architecture.GRADIENT_BOOSTING: Description(Traits(tabular=True, grows_trees=True), _trees_work),
    Architecture.LINEAR: Description(Traits(tabular=True), _linear_work),
}
