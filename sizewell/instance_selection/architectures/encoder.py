"""Encoders: BERT, which reads tokens, and ViT, which cuts an image into patches."""

from dataclasses import replace

from sizewell.instance_selection.architectures.architecture import Architecture, Traits, architecture
from sizewell.instance_selection.estimation.work import (
    PATCH_PIXELS,
    Work,
    assumed_shape,
    image_flops,
    image_work,
    transformer_work,
)
from sizewell.instance_selection.requirements import ModelSpec


@architecture(
    Architecture.ENCODER,
    Traits(transformer=True, has_logits=False, patches=True, flops_per_activation=2000.0),
    lambda model: () if model.forward_flops_per_image else assumed_shape(model),
)
def forward_work(model: ModelSpec, tokens: float) -> Work:
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
