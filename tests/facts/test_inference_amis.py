"""The driver of the host follows from the CUDA in the tag of an image."""

import pytest

from sizewell.facts.container_images import image_releases
from sizewell.facts.inference_amis import inference_ami_for


@pytest.mark.parametrize(
    ("tag", "ami"),
    [
        ("2.1.0-gpu-py310-cu118-ubuntu20.04", "al2-ami-sagemaker-inference-gpu-2-1"),
        ("2.19.0-gpu-py312-cu122-ubuntu22.04", "al2-ami-sagemaker-inference-gpu-2-1"),
        ("2.6.0-gpu-py312-cu124-ubuntu22.04", "al2-ami-sagemaker-inference-gpu-3-1"),
        ("0.33.0-lmi15.0.0-cu128", "al2023-ami-sagemaker-inference-gpu-4-1"),
        ("0.38.0-lmi29.0.0-cu130", "al2023-ami-sagemaker-inference-gpu-4-1"),
        ("2.14.0-cu133-amzn2023", None),
        ("25.04-py3", None),
        ("2.6.0-cpu-py312", None),
    ],
)
def test_it_is_the_oldest_whose_cuda_is_new_enough(tag: str, ami: str | None) -> None:
    assert inference_ami_for(tag) == ami


def test_every_image_for_gpus_that_serves_has_one_but_that_of_triton() -> None:
    without = {
        release.framework.value
        for release in image_releases()
        if "inference" in release.jobs
        and "cuda" in release.tags
        and not inference_ami_for(release.tags["cuda"])
    }
    assert without == {"triton"}
