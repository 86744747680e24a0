"""Clusters: a workload runs in the one that it names as its ``target``, and in SageMaker where it names none."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import Field

from sizewell.config.base import ConfigModel, Name
from sizewell.config.effects import Below, OnChange, SelectionNeed

#: More than one environment needs.
MAX_CLUSTERS = 20
_MOVED = "it is created anew there, and callers must find it there; what it leaves goes with its old stack"
ON_TARGET = (OnChange(changed=_MOVED, added=_MOVED, removed=_MOVED), SelectionNeed.PLACE)
ON_CLUSTERS = Below(OnChange(changed="everything that runs in the cluster changes with it"))
TargetName = Name
#: In place of the name of a cluster: the plan takes the cheapest place.
CHEAPEST = "cheapest"
#: How the policy calls SageMaker, which a workload does not name as its target.
SAGEMAKER = "sagemaker"


class Cluster(ConfigModel):
    """A cluster of some type. The keys stand in the class of the type, because their order is the order of config.json."""

    if TYPE_CHECKING:

        @property
        def type(self) -> str:
            """What the cluster is: the name of its target."""

        @property
        def place(self) -> str | None:
            """The place that it is in; None is the account and region of the policy."""


@dataclass(frozen=True, kw_only=True)
class Runs:
    """How a target runs a kind of workload."""

    planned_as: str
    """The kind of its plan."""
    lacks: Mapping[str, str] = field(default_factory=dict)
    """The keys of the kind that have no effect there, by their path, with what to do instead."""


@dataclass(frozen=True, kw_only=True)
class TargetKind:
    """How the clusters of a target are configured, and what they run."""

    module: ClassVar[str] = "cluster"

    words: str
    """What people call it."""
    model: type[Cluster]
    runs: Mapping[str, Runs]
    """By the kind of workload."""
    alike: Mapping[str, str] = field(default_factory=dict)
    """The keys of a cluster that nothing shows which is made for it, with why environments should have them alike."""


def target_of(workload: Any) -> str | None:
    """Return what a workload names as its target: a cluster, or ``CHEAPEST``; None is SageMaker."""
    target: str | None = getattr(workload, "target", None)
    return target


def is_allowed(target: str | None, allowed_targets: Sequence[str] | None) -> bool:
    """Return whether models may run in a place, by the key of the policy; None is SageMaker."""
    return allowed_targets is None or (target or SAGEMAKER) in allowed_targets


def runs_in_cluster(workload: Any) -> bool:
    """Return whether a workload runs in a cluster whatever the plan says."""
    return target_of(workload) not in (None, CHEAPEST)


Clusters = Annotated[dict[Name, Cluster], Field(max_length=MAX_CLUSTERS), ON_CLUSTERS]
