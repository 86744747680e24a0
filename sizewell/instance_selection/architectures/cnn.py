"""Convolutional networks, described by what one image costs."""

from sizewell.instance_selection.architectures.architecture import Architecture, Traits, architecture
from sizewell.instance_selection.estimation.work import Work, assumed_arithmetic, image_work
from sizewell.instance_selection.requirements import ModelSpec


@architecture(
    Architecture.CNN,
    Traits(
        reads_images=True,
        shards_in_training=False,
        # The median of the presets, each at its own size: a filter is multiplied once for each position.
        flops_per_weight=320.0,
        flops_per_activation=740.0,
        alive_share=0.5,
    ),
    assumed_arithmetic,
)
def forward_work(model: ModelSpec, tokens: float) -> Work:
    """Return the work of one image."""
    return image_work(model)
