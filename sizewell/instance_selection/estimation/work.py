"""The work of one forward pass, on any machine: operations, weights read and activations moved."""

from dataclasses import dataclass

from sizewell.instance_selection.estimation.coefficients import Array
from sizewell.instance_selection.requirements import ModelSpec

#: Values that a transformer block writes per token and unit of width: query, key, value, attention, projection,
#: two normalisations, two residual sums, and twice four for the feed-forward part, the fused ones counted half.
VALUES_PER_TOKEN_AND_WIDTH = 14.0
#: Width of an attention head, where none is stated.
HEAD_WIDTH = 64.0


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
    ratio = model.architecture.traits.width_per_layer
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
    traits = model.architecture.traits
    flops = model.forward_flops_per_image * image_scale or traits.flops_per_weight * model.parameters
    if flops and not traits.generates:
        return _image_work(model, flops, image_scale)
    layers, width = transformer_shape(model)
    weights = model.multiplied_parameters
    return Work(
        flops=2.0 * weights * tokens + attention_flops(layers, width, tokens, causal=traits.causal),
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
    traits = model.architecture.traits
    activations = model.activations_per_image * image_scale or flops / traits.flops_per_activation
    passes = 1.0
    if traits.denoises:
        passes = float(model.denoising_steps)
        if model.guidance:
            flops, activations = 2 * flops, 2 * activations
    layers = traits.steps or float(model.layers or traits.default_layers)
    width = float(model.hidden_size) if traits.patches else 0.0
    weights = model.multiplied_parameters if traits.look_up_tables else model.parameters
    if traits.denoises and model.active_parameters:
        weights = model.active_parameters
    return Work(flops, weights, activations, layers, width, rows=197.0 if width else 128.0, passes=passes)
