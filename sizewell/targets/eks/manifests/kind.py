"""What each kind of workload in a cluster brings for its manifests."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from sizewell.planning.foundation_plan_model import FoundationPlan
from sizewell.targets.eks.manifests.labels import Manifest


@dataclass(frozen=True, kw_only=True)
class ManifestsKind:
    """The objects of a kind."""

    module: ClassVar[str] = "manifests"

    manifests: Callable[[Any, FoundationPlan, Mapping[str, str]], dict[str, Manifest]]
    """Returns, of a plan, the objects by the names of their files; nodes carry the tags, by which AWS allocates costs."""
