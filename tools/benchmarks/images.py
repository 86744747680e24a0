"""The images of a row: their size, and the arithmetic of one."""

import re
from dataclasses import replace

from sizewell.instance_selection.estimation.work import REFERENCE_PIXELS, image_flops
from sizewell.instance_selection.presets import Preset
from sizewell.instance_selection.requirements import Architecture, ModelSpec
from tools.benchmarks.cells import Cells, refused

#: Networks whose work grows with the number of pixels.
SCALED_BY_PIXELS = (Architecture.CNN, Architecture.DIFFUSION, Architecture.ENCODER)


def pixels_of(cells: Cells) -> int:
    """Return height x width of ``image_size``, 0 where it is empty."""
    cell = cells["image_size"]
    found = re.fullmatch(r"(\d+)(?: ?x ?(\d+))?", cell.lower())
    if cell and not found:
        raise refused("image_size", cell, "height and width, such as 640x480")
    return int(found[1]) * int(found[2] or found[1]) if found else 0


def latent_frames(cells: Cells) -> float:
    """Return the images that a video is drawn as: four frames are one, but the first (Yang et al. 2024, CogVideoX)."""
    return 1.0 + ((cells.number("frames") or 1.0) - 1.0) / 4.0


def with_images(model: ModelSpec, preset: Preset | None, cells: Cells) -> ModelSpec:
    """Return the model with the work of an image of the row's size; one that reads text as it is."""
    if model.architecture not in SCALED_BY_PIXELS:
        return model
    pixels = pixels_of(cells)
    if model.architecture is Architecture.DIFFUSION:
        pixels = int(pixels * latent_frames(cells))
    if stated := cells.number("gflops"):
        return replace(model, forward_flops_per_image=stated * 1e9, activations_per_image=0.0)
    if model.forward_flops_per_image:
        ratio = pixels / preset.pixels if pixels and preset and preset.pixels else 1.0
        return replace(
            model,
            forward_flops_per_image=ratio * model.forward_flops_per_image,
            activations_per_image=ratio * model.activations_per_image,
        )
    if not pixels and cells["metric"].lower() == "images_s":
        pixels = int(REFERENCE_PIXELS)
    reads_text = model.architecture is Architecture.ENCODER and bool(cells["input_len"])
    sized = replace(model, image_pixels=0 if reads_text else pixels)
    return replace(sized, forward_flops_per_image=image_flops(sized))
