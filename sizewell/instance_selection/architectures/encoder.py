"""Encoders: BERT, which reads tokens, and ViT, which cuts an image into patches."""

from dataclasses import replace

from sizewell.instance_selection.architectures.architecture import Architecture, Traits, architecture
from sizewell.instance_selection.estimation.work import Work, assumed_shape, image_work, transformer_work
from sizewell.instance_selection.requirements import ModelSpec

#: Patches of 16 x 16 pixels of an image of 224 x 224, and the token of its class (Dosovitskiy et al. 2020, ViT).
TOKENS_PER_IMAGE = 197.0


@architecture(
    Architecture.ENCODER,
    Traits(transformer=True, has_logits=False, patches=True, flops_per_activation=2000.0),
    lambda model: () if model.forward_flops_per_image else assumed_shape(model),
)
def forward_work(model: ModelSpec, tokens: float) -> Work:
    """Return the work of a text, or of an image where the arithmetic of one is stated."""
    if not model.forward_flops_per_image:
        return transformer_work(model, tokens)
    work = image_work(model)
    # Patches go through matrix products of the model's width.
    return replace(work, width=float(model.hidden_size), rows=TOKENS_PER_IMAGE) if model.hidden_size else work
