"""The container images of AWS: which there are of a framework and version, and until when AWS patches them.

Paths in the table are those of https://github.com/aws/deep-learning-containers at the commit after the ``@``: the data that
its pages "Available images" and "Framework support policy" are made from. ``unknown`` is what it does not publish. A row
without tags is a release whose patches have ended long ago: it dates images that somebody still writes by hand.
"""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_name("container_images.csv")
AVAILABLE_IMAGES = "https://aws.github.io/deep-learning-containers/reference/available_images/"
#: The columns of tags: the kinds of hardware, as a configuration names them.
HARDWARE = ("cuda", "neuron", "cpu_x86_64", "cpu_arm64")
#: What ends the name of a repository of images for Graviton, today and until 2023 (available_images.md).
_ARM64_REPOSITORIES = ("-arm64", "-graviton")
_UNKNOWN = "unknown"


class Framework(StrEnum):
    """What is in an image: a framework, or the server of a model."""

    DJL_LMI = "djl-lmi"
    DJL_NEURONX = "djl-neuronx"
    DJL_TENSORRTLLM = "djl-tensorrtllm"
    HUGGINGFACE_PYTORCH = "huggingface-pytorch"
    HUGGINGFACE_SGLANG = "huggingface-sglang"
    HUGGINGFACE_TEI = "huggingface-tei"
    HUGGINGFACE_TGI = "huggingface-tgi"
    HUGGINGFACE_VLLM = "huggingface-vllm"
    PYTORCH = "pytorch"
    SCIKIT_LEARN = "scikit-learn"
    SGLANG = "sglang"
    TENSORFLOW = "tensorflow"
    TRITON = "triton"
    VLLM = "vllm"
    XGBOOST = "xgboost"


class Job(StrEnum):
    """What an image is for."""

    INFERENCE = "inference"
    TRAINING = "training"


@dataclass(frozen=True, kw_only=True)
class ImageRelease:
    """The images of one repository and version: ``2.6`` is every tag ``2.6.0-...``; ``read`` is when the source was read."""

    framework: Framework
    jobs: frozenset[Job]
    version: str
    registry: str
    """The name of the registry in ``image_registries.csv``."""
    repository: str
    tags: Mapping[str, str]
    """The tag of the newest image for each kind of hardware that the repository has one for."""
    released: str | None
    end_of_patch: str | None
    """The ISO date after which AWS mends no fault of the image; None where none is published."""
    source: str
    read: str

    def has(self, tag: str) -> bool:
        """Tell whether a tag of the repository is of this version."""
        return tag in self.tags.values() or (
            tag == self.version or tag.startswith((f"{self.version}.", f"{self.version}-"))
        )


@cache
def image_releases() -> tuple[ImageRelease, ...]:
    """Return every release of the table."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return tuple(
            ImageRelease(
                framework=Framework(row["framework"]),
                jobs=frozenset(map(Job, row["jobs"].split())),
                version=row["version"],
                registry=row["registry"],
                repository=row["repository"],
                tags={hardware: row[hardware] for hardware in HARDWARE if row[hardware]},
                released=_known(row["released"]),
                end_of_patch=_known(row["end_of_patch"]),
                source=row["source"],
                read=row["read"],
            )
            for row in csv.DictReader(file)
        )


def release_of(repository: str, tag: str) -> ImageRelease | None:
    """Return what an image is a release of; None for images that the table does not know."""
    return next((r for r in image_releases() if r.repository == repository and r.has(tag)), None)


@cache
def images_of(framework: Framework, version: str, job: Job) -> Mapping[str, ImageRelease]:
    """Return, for each kind of hardware that AWS has an image for, the release that holds its tag."""
    return {
        hardware: release
        for release in image_releases()
        if (release.framework, release.version) == (framework, version) and job in release.jobs
        for hardware in release.tags
    }


@cache
def versions_of(framework: Framework, job: Job) -> tuple[str, ...]:
    """Return the versions that have images for a job, the oldest first; none where the framework is not for it."""
    found = {
        release.version
        for release in image_releases()
        if release.framework is framework and job in release.jobs and release.tags
    }
    return tuple(sorted(found, key=_numbers))


@cache
def jobs_of(repository: str) -> frozenset[Job]:
    """Return what the images of a repository of AWS are for; nothing where the table does not know it."""
    return frozenset(
        job for release in image_releases() if release.repository == repository for job in release.jobs
    )


def is_arm64(repository: str) -> bool:
    """Tell whether the images of a repository of AWS are for Graviton: none is for both architectures."""
    return repository.endswith(_ARM64_REPOSITORIES)


def _known(cell: str) -> str | None:
    return None if cell == _UNKNOWN else cell


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.replace("-", ".").split("."))
