"""The images of a row: their size, and the arithmetic of one, by the words of the row."""

import re
from collections.abc import Mapping
from dataclasses import replace

from sizewell.instance_selection.estimation.work import REFERENCE_PIXELS, image_flops
from sizewell.instance_selection.presets import Preset
from sizewell.instance_selection.requirements import Architecture, ModelSpec

#: Networks whose work grows with the number of pixels.
SCALED_BY_PIXELS = (Architecture.CNN, Architecture.DIFFUSION, Architecture.ENCODER)
_SIZE = re.compile(r"(\d{3,4}) ?x ?(\d{3,4})|\bimage (?=(\d{3,4}))(\d{3,4})\b")
#: Frames of a video, but not their rate: ``49 frames``, and not ``16 frames/s``.
_FRAMES = re.compile(r"\b(\d+) (?:video )?frames\b(?!/)")
#: Arithmetic before and after its unit: ``4.1 GMACs``, ``BFLOPs 35.5``, ``FLOPs (multiply-adds) 3.9G``. A multiplication and
#: its addition are two operations.
_NUMBER = r"(?P<value>\d+(?:\.\d+)?)"
_MULTIPLY_ADDS = r"macs?\b|flops? ?\(multiply[- ]adds?\)"
_ARITHMETIC = (
    re.compile(rf"{_NUMBER} ?(?P<scale>[bgt]) ?(?:(?P<pairs>{_MULTIPLY_ADDS})|flops?\b)(?!/| per s)"),
    re.compile(
        rf"\b(?P<scale>[bgt]) ?(?:(?P<pairs>{_MULTIPLY_ADDS})|flops?\b)[ :=]*{_NUMBER}(?![\d.]| ?[bgt]\b)"
    ),
    re.compile(rf"\b(?:(?P<pairs>{_MULTIPLY_ADDS})|flops?\b)[ :=]*{_NUMBER} ?(?P<scale>[bgt])\b"),
)
_SCALES = {"b": 1e9, "g": 1e9, "t": 1e12}


def pixels_of(note: str) -> int:
    """Return height x width, 0 where they are not stated."""
    found = _SIZE.search(note)
    return int(found[1] or found[3]) * int(found[2] or found[4]) if found else 0


def latent_frames(note: str) -> float:
    """Return the images that a video is drawn as: four frames are one, but the first (Yang et al. 2024, CogVideoX)."""
    found = _FRAMES.search(note)
    return 1.0 + (int(found[1]) - 1) / 4.0 if found else 1.0


def stated_flops(note: str) -> float:
    """Return the arithmetic of one image that a note states, 0 where it states none."""
    found = next(filter(None, (words.search(note.lower()) for words in _ARITHMETIC)), None)
    return float(found["value"]) * _SCALES[found["scale"]] * (2 if found["pairs"] else 1) if found else 0.0


def with_images(model: ModelSpec, preset: Preset | None, cell: Mapping[str, str]) -> ModelSpec:
    """Return the model with the work of an image of the row's size; one that reads text as it is."""
    if model.architecture not in SCALED_BY_PIXELS:
        return model
    pixels = pixels_of(cell["note"])
    if model.architecture is Architecture.DIFFUSION:
        pixels = int(pixels * latent_frames(cell["note"]))
    if stated := stated_flops(cell["note"]):
        return replace(model, forward_flops_per_image=stated, activations_per_image=0.0)
    if model.forward_flops_per_image:
        ratio = pixels / preset.pixels if pixels and preset and preset.pixels else 1.0
        return replace(
            model,
            forward_flops_per_image=ratio * model.forward_flops_per_image,
            activations_per_image=ratio * model.activations_per_image,
        )
    if not pixels and cell["metric"] == "images_s":
        pixels = int(REFERENCE_PIXELS)
    reads_text = model.architecture is Architecture.ENCODER and bool(cell["input_len"])
    sized = replace(model, image_pixels=0 if reads_text else pixels)
    return replace(sized, forward_flops_per_image=image_flops(sized))
