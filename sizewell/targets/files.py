"""What a target writes beside the templates of an environment."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import ClassVar

from sizewell.planning.plan import DeploymentPlan
from sizewell.targets.registry import target_facet, target_names

#: The folder of the output that holds them.
MANIFESTS = "manifests"


@dataclass(frozen=True, kw_only=True)
class FilesKind:
    """What a target writes."""

    module: ClassVar[str] = "files"

    files: Callable[[DeploymentPlan], dict[PurePosixPath, str]]
    """Returns the text of each file by its path below ``MANIFESTS``."""


def target_files(plan: DeploymentPlan) -> dict[PurePosixPath, str]:
    """Return what all targets write for an environment, by its path in the output."""
    return {
        PurePosixPath(MANIFESTS) / path: text
        for target in target_names()
        for path, text in target_facet(target, FilesKind).files(plan).items()
    }
