"""The work of one forward pass, on any machine: operations, weights read and activations moved."""

from dataclasses import dataclass, replace

from sizewell.instance_selection.estimation.coefficients import Array
from sizewell.instance_selection.requirements import ModelSpec

#: Values that a transformer block writes per token and unit of width: query, key, value, attention, projection,
#: two normalisations, two residual sums, and twice four for the feed-forward part, the fused ones counted half.
VALUES_PER_TOKEN_AND_WIDTH = 14.0
#: Width of an attention head, where none is stated.
HEAD_WIDTH = 64.0
#: Convolutions and matrices of an image network that follow each other, where they are not stated: the median of
#: the 285 presets that say it.
IMAGE_LAYERS = 86.0
#: Rows of the matrix products of one image, at least one tile of them.
IMAGE_ROWS = 128.0
#: The image to which ``flops_per_weight`` refers.
REFERENCE_PIXELS = 224.0 * 224.0
#: Bytes of a pixel in fp32, in three colours.
PIXEL_BYTES = 12.0
#: Pixels that make one token of an image, 16 x 16 (Dosovitskiy et al. 2020, ViT).
PATCH_PIXELS = 256.0


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
    input_bytes: float | Array = 0.0
    """What an image brings in fp32; nothing to speak of in a text or a row."""


def transformer_shape(model: ModelSpec) -> tuple[float, float]:
    """Return layers and width: as stated, or those of a published model of that size."""
    if model.layers and model.hidden_size:
        return float(model.layers), float(model.hidden_size)
    ratio = model.architecture.traits.width_per_layer
    body = max(model.multiplied_parameters, 1.0)
    width = max(64.0, round((ratio * body / 12) ** (1 / 3) / 64) * 64.0)
    return max(2.0, round(body / 12 / width**2)), width


def attention_flops(layers: float, width: float, tokens: float, *, causal: bool) -> float:
    """Return the operations of scores and weighted sums: 4 x layers x width x tokens^2, half of it when causal.

    Source: Kaplan et al. 2020, Scaling Laws for Neural Language Models, table 1.
    """
    return (2.0 if causal else 4.0) * layers * width * tokens * tokens


def forward_work(model: ModelSpec, *, tokens: float = 128.0) -> Work:
    """Return the work of one forward pass over one item: a text, an image, a clip, a series or a row."""
    work: Work = model.architecture.forward_work(model, tokens)
    return work


def transformer_work(model: ModelSpec, tokens: float) -> Work:
    """Return the work of blocks of attention and matrix products over a sequence of tokens."""
    layers, width = transformer_shape(model)
    weights, heads = model.multiplied_parameters, max(width / HEAD_WIDTH, 1.0)
    causal = model.architecture.traits.causal
    return Work(
        flops=2.0 * weights * tokens + attention_flops(layers, width, tokens, causal=causal),
        weights=weights,
        activations=layers * (VALUES_PER_TOKEN_AND_WIDTH * width * tokens + 2.0 * heads * tokens * tokens),
        layers=layers,
        width=width,
        rows=tokens,
    )


def assumed_shape(model: ModelSpec) -> tuple[str, ...]:
    """Return which layers and width are taken, where they are not stated."""
    if model.layers and model.hidden_size:
        return ()
    layers, width = transformer_shape(model)
    return (f"the model has {layers:.0f} layers of width {width:.0f}, assumed from the number of weights",)


def image_flops(model: ModelSpec) -> float:
    """Return the arithmetic of one image: as stated, or that of a published network of as many weights at its size.

    0 where neither the arithmetic nor the size of an image is stated and the model may read text.
    """
    if model.forward_flops_per_image:
        return model.forward_flops_per_image
    traits = model.architecture.traits
    if traits.patches:
        tokens = model.image_pixels / PATCH_PIXELS
        return float(transformer_work(model, tokens + 1).flops) if tokens else 0.0
    pixels = model.image_pixels or traits.usual_image_pixels
    return traits.flops_per_weight * (model.active_parameters or model.parameters) * pixels / REFERENCE_PIXELS


def image_work(model: ModelSpec) -> Work:
    """Return the work of one image."""
    traits = model.architecture.traits
    flops = image_flops(model)
    activations = model.activations_per_image or flops / traits.flops_per_activation
    layers = float(model.layers or IMAGE_LAYERS)
    copied = PIXEL_BYTES * (model.image_pixels or traits.usual_image_pixels)
    return Work(flops, model.parameters, activations, layers, width=0.0, rows=IMAGE_ROWS, input_bytes=copied)


def assumed_arithmetic(model: ModelSpec) -> tuple[str, ...]:
    """Return which arithmetic of one input is taken, where it is not stated."""
    if model.forward_flops_per_image:
        return ()
    flops = float(forward_work(replace(model, guidance=False)).flops)
    pixels = model.image_pixels or model.architecture.traits.usual_image_pixels
    origin = "" if model.architecture.traits.look_up_tables else f" and {pixels:,} pixels"
    return (f"a forward pass takes {flops / 1e9:,.3g} GFLOP, assumed from the number of weights{origin}",)
