"""Until when AWS patches its container images (AWS Deep Learning Containers and the images of its algorithms).

Paths in the table are those of https://github.com/aws/deep-learning-containers at the commit after the ``@``: the data that
its pages "Available images" and "Framework support policy" are made from. ``unknown`` is what it does not publish.
"""

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_name("container_images.csv")
AVAILABLE_IMAGES = "https://aws.github.io/deep-learning-containers/reference/available_images/"
_UNKNOWN = "unknown"


@dataclass(frozen=True, kw_only=True)
class ImageRelease:
    """The images of one repository and version: ``2.6`` is every tag ``2.6.0-...``; ``read`` is when the source was read."""

    repository: str
    version: str
    released: str | None
    end_of_patch: str | None
    """The ISO date after which AWS mends no fault of the image; None where none is published."""
    source: str
    read: str

    def has(self, tag: str) -> bool:
        """Tell whether a tag of the repository is of this version."""
        return tag == self.version or tag.startswith((f"{self.version}.", f"{self.version}-"))


@cache
def image_releases() -> tuple[ImageRelease, ...]:
    """Return every release of the table."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return tuple(
            ImageRelease(
                repository=row["repository"],
                version=row["version"],
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


def _known(cell: str) -> str | None:
    return None if cell == _UNKNOWN else cell
