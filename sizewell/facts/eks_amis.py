"""Which release of the machine image of EKS runs which images and types.

Releases of AL2023 with NVIDIA's driver 580, read 2026-11-28: v20260512 is the first of which a node was seen with 580.159.03
(https://github.com/awslabs/amazon-eks-ami, releases; aws-samples/sample-eks-enterprise-quickstart, docs/AMI_VERSIONS.md), and
v20250519 still had 570 (its CHANGELOG). A driver runs every image of its own and of earlier major versions of CUDA; CUDA 13
needs 580: https://docs.nvidia.com/deploy/cuda-compatibility/minor-version-compatibility.html. The second driver, which g7 needs,
is there since v20260917 (https://github.com/awslabs/amazon-eks-ami/issues/2768).
"""

from collections.abc import Iterator

_FIRST_WITH_CUDA_13 = "al2023@v20260512"
_FIRST_WITH_G7 = "al2023@v20260917"


def too_old(ami: str, cuda_major: int | None, families: frozenset[str]) -> Iterator[str]:
    """Yield why a release does not run an image of a version of CUDA, None where it is not known, on families of types."""
    if cuda_major is not None and cuda_major >= 13 and ami < _FIRST_WITH_CUDA_13:
        yield f"the image needs CUDA {cuda_major}, whose driver is in {_FIRST_WITH_CUDA_13} and later"
    if "g7" in families and ami < _FIRST_WITH_G7:
        yield f"g7 needs a driver that is in {_FIRST_WITH_G7} and later"
