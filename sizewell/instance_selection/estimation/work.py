"""The work of one forward pass, on any machine: operations, weights read and activations moved."""

from dataclasses import dataclass

from sizewell.instance_selection.estimation.coefficients import Array
from sizewell.instance_selection.requirements import Architecture, ModelSpec

#: Arithmetic of an image model that states none: operations per weight, the median of the presets' CNNs.
FLOPS_PER_WEIGHT_OF_CNN = 100.0
#: Operations per activation where the activations are not stated, the medians of the presets.
FLOPS_PER_ACTIVATION = {Architecture.CNN: 800.0, Architecture.DIFFUSION: 3500.0, Architecture.ENCODER: 2000.0}
#: Values that a transformer block writes per token and unit of width: query, key, value, attention, projection,
#: two normalisations, two residual sums, and twice four for the feed-forward part, the fused ones counted half.
VALUES_PER_TOKEN_AND_WIDTH = 14.0
#: Width of an attention head, where none is stated.
HEAD_WIDTH = 64.0
#: Blocks that follow each other for one clip of 15 s: a time step every 30 ms, and one for each letter that is written.
RECURRENT_STEPS = 750.0
#: Width and depth ratios of published transformers: width / layers of encoders, and of decoders above 10^9 weights.
WIDTH_PER_LAYER = {"encoder": 64.0, "decoder": 100.0}


@dataclass(frozen=True, slots=True)
class Work:
    """One forward pass over one item; numbers, or columns of numbers.

    ``weights`` are values read once per pass, ``activations`` values written, ``layers`` blocks that follow each
    other, ``width`` the inner dimension of their matrix products (0: convolutions), ``rows`` the rows of those
    products for one item, ``passes`` how often the whole is repeated.
    """

    flops: float | Array
    weights: float | Array
    activations: float | Array
    layers: float | Array
    width: float | Array
    rows: float | Array
    passes: float | Array = 1.0


def transformer_shape(model: ModelSpec) -> tuple[float, float]:
    """Return layers and width: as stated, or those of a published model of that size."""
    if model.layers and model.hidden_size:
        return float(model.layers), float(model.hidden_size)
    ratio = WIDTH_PER_LAYER["decoder" if model.architecture is Architecture.DECODER else "encoder"]
    body = max(model.parameters - model.embedding_parameters, 1.0)
    width = max(64.0, round((ratio * body / 12) ** (1 / 3) / 64) * 64.0)
    return max(2.0, round(body / 12 / width**2)), width


def attention_flops(layers: float, width: float, tokens: float, *, causal: bool) -> float:
    """Return the operations of scores and weighted sums: 4 x layers x width x tokens^2, half of it when causal.

    Source: Kaplan et al. 2020, Scaling Laws for Neural Language Models, table 1.
    """
    return (2.0 if causal else 4.0) * layers * width * tokens * tokens


def forward_work(model: ModelSpec, *, tokens: float = 128.0, image_scale: float = 1.0) -> Work:
    """Return the work of one forward pass over one item: a sequence of tokens, an image, a clip or a row of look-ups.

    ``image_scale`` is the number of pixels relative to those that the model's figures were stated for.
    """
    kind = model.architecture
    flops = model.forward_flops_per_image * image_scale
    if not flops and kind in (Architecture.CNN, Architecture.DIFFUSION, Architecture.RNN):
        flops = FLOPS_PER_WEIGHT_OF_CNN * model.parameters
    if flops and not kind.generates:
        return _image_work(model, flops, image_scale)
    layers, width = transformer_shape(model)
    weights = model.multiplied_parameters
    return Work(
        flops=2.0 * weights * tokens
        + attention_flops(layers, width, tokens, causal=kind is Architecture.DECODER),
        weights=weights,
        activations=_transformer_activations(layers, width, tokens),
        layers=layers,
        width=width,
        rows=tokens,
    )


def _transformer_activations(layers: float, width: float, tokens: float) -> float:
    heads = max(width / HEAD_WIDTH, 1.0)
    return layers * (VALUES_PER_TOKEN_AND_WIDTH * width * tokens + 2.0 * heads * tokens * tokens)


def _image_work(model: ModelSpec, flops: float, image_scale: float) -> Work:
    kind = model.architecture
    activations = model.activations_per_image * image_scale or flops / FLOPS_PER_ACTIVATION.get(kind, 400.0)
    passes = 1.0
    if kind is Architecture.DIFFUSION:
        passes = float(model.denoising_steps)
        if model.guidance:
            flops, activations = 2 * flops, 2 * activations
    layers = float(model.layers or 50)
    width = float(model.hidden_size) if kind is Architecture.ENCODER else 0.0
    if kind is Architecture.RNN:
        layers = RECURRENT_STEPS
    elif kind is Architecture.RECOMMENDER:
        layers = float(model.layers or 8)
    weights = model.parameters if kind is not Architecture.RECOMMENDER else model.multiplied_parameters
    if kind is Architecture.DIFFUSION and model.active_parameters:
        weights = model.active_parameters
    return Work(flops, weights, activations, layers, width, rows=197.0 if width else 128.0, passes=passes)
