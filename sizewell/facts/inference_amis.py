"""Which machine image the host of an endpoint needs for the CUDA of a container image.

API reference: ProductionVariant, InferenceAmiVersion, which states the CUDA version of each. Without one AWS chooses, on
ml.g5 for example a driver for CUDA 11.4 (https://docs.aws.amazon.com/sagemaker/latest/dg/inference-gpu-drivers.html). Read
2026-11-23.
"""

import re
from typing import Literal

#: Of a kind of hardware the oldest first.
InferenceAmiVersion = Literal[
    "al2-ami-sagemaker-inference-gpu-2",
    "al2-ami-sagemaker-inference-gpu-2-1",
    "al2-ami-sagemaker-inference-gpu-3-1",
    "al2023-ami-sagemaker-inference-gpu-4-1",
    "al2-ami-sagemaker-inference-neuron-2",
]

#: The oldest first. Of the two for CUDA 12.2, the one that is set up as all newer ones are.
_NEWEST_CUDA: tuple[tuple[InferenceAmiVersion, tuple[int, int]], ...] = (
    ("al2-ami-sagemaker-inference-gpu-2-1", (12, 2)),
    ("al2-ami-sagemaker-inference-gpu-3-1", (12, 4)),
    ("al2023-ami-sagemaker-inference-gpu-4-1", (13, 0)),
)
#: cu124 is CUDA 12.4.
_CUDA = re.compile(r"(?<![a-z0-9])cu([0-9]{2})([0-9])(?![0-9])")


def inference_ami_for(tag: str) -> InferenceAmiVersion | None:
    """Return the oldest machine image whose CUDA is as new as that in the tag of a container image.

    None leaves the choice to AWS: the tag names no CUDA, or one that is newer than every machine image.
    """
    if (needed := cuda_of(tag)) is None:
        return None
    return next((ami for ami, newest in _NEWEST_CUDA if newest >= needed), None)


def cuda_of(tag: str) -> tuple[int, int] | None:
    """Return the version of CUDA that the tag of a container image names; None where it names none."""
    found = _CUDA.search(tag)
    return None if found is None else (int(found[1]), int(found[2]))
