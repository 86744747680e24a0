"""Spot for the instances that serve a model, which clusters of Amazon EKS have; and whether the environment allows Spot."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar

from sizewell.config.base import ConfigModel
from sizewell.config.cluster import target_of
from sizewell.config.effects import OnToggle
from sizewell.config.environment import Environment
from sizewell.config.request_members import Violation


class ServingSpot(ConfigModel):
    """Spare capacity of EC2 at a discount, which EC2 may take back at any time, two minutes after it says so."""

    enabled: Annotated[
        bool,
        OnToggle(
            on="instances may be on Spot: EC2 may take each of them back, two minutes after it says so",
            off="all instances are on demand",
        ),
    ]
    """Whether its instances may be on Spot, in a cluster of Amazon EKS; that needs allow_spot in the policy."""


class ServedOnSpot(ConfigModel):
    """A model whose instances may be on Spot."""

    only_in_clusters: ClassVar[Mapping[str, str]] = {
        "spot": "it has Spot for training jobs alone, and a cluster of Amazon EKS has it for models, too"
    }

    spot: ServingSpot = ServingSpot(enabled=False)
    """Spare capacity of EC2 at a discount, in a cluster of Amazon EKS: every second instance of a real-time endpoint, all of an
    asynchronous one."""


def spot_violations(environment: Environment, name: str, workload: Any) -> Iterator[Violation]:
    """Yield that a workload asks for Spot which the policy does not allow; where the key has no effect, that is said of it."""
    if target_of(workload) is None and "spot" in workload.only_in_clusters:
        return
    if workload.spot.enabled and not environment.policy.allow_spot:
        yield (
            ("workloads", name, "spot", "enabled"),
            "Spot is asked for, but policy.allow_spot is false in this environment",
        )
