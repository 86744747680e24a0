"""Diffusion: an image is drawn in many steps, each a pass of the denoiser."""

from dataclasses import replace

from sizewell.instance_selection.architectures.architecture import Architecture, Traits, architecture
from sizewell.instance_selection.estimation.work import Work, assumed_arithmetic, image_work
from sizewell.instance_selection.requirements import ModelSpec


@architecture(
    Architecture.DIFFUSION,
    Traits(
        denoises=True,
        # The median of the presets that are transformers, as new models are, each at its own size; 180 of those before.
        flops_per_weight=300.0,
        usual_image_pixels=1024 * 1024,
        flops_per_activation=3500.0,
        # 1.0 to 1.15 GB of an image of 512 x 512 in half precision, twice in fp32: 16 in fp32 do not fit on an A100 of 40 GB,
        # 32 do on an H100 of 80 GB (Lambda, diffusers benchmark of 2023). That includes the decoder of images.
        alive_share=1.1,
    ),
    assumed_arithmetic,
)
def forward_work(model: ModelSpec, tokens: float) -> Work:
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
    )
