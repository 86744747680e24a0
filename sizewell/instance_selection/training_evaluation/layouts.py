"""The clusters that a training may run on, and how it lies on them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sizewell.instance_selection.catalog import InstanceType
from sizewell.instance_selection.estimation.coefficients import Array
from sizewell.instance_selection.estimation.hardware import GIB
from sizewell.instance_selection.estimation.training_memory import TrainingMemory
from sizewell.instance_selection.filters import Marks
from sizewell.instance_selection.requirements import TrainingRequirements
from sizewell.instance_selection.results import MemoryEstimate

#: Share of an EFA or Ethernet link that collectives reach (NCCL tests).
NETWORK_EFFICIENCY = 0.7


@dataclass(frozen=True, eq=False)
class Clusters:
    """The sizes of a cluster of each type."""

    accelerators: Array
    """Of one instance of each type."""
    max_instances: Array
    """Of each type."""
    network: Array
    """What collectives reach between two instances of each type, bytes per second: a ring passes through each instance once."""
    counts: Array
    """Instances: a column of all sizes."""
    allowed: Marks
    """Sizes x types."""

    @property
    def max_accelerators(self) -> Array:
        """Of the largest cluster of each type."""
        return self.accelerators * self.max_instances


def clusters_of(needs: TrainingRequirements, types: Sequence[InstanceType]) -> Clusters:
    """Return the clusters that a job may run on. A table is trained on one instance, several need EFA between them."""
    accelerators = np.array([float(t.accelerator_count) for t in types])
    most = 1 if needs.model.architecture.tabular else needs.max_instances
    max_instances = np.array([most if t.efa_supported else 1 for t in types])
    counts = np.arange(1, max(1, needs.max_instances) + 1, dtype=float)[:, None]
    return Clusters(
        accelerators=accelerators,
        max_instances=max_instances,
        network=np.array([t.network_baseline_gbps or 10.0 for t in types]) / 8 * 1e9 * NETWORK_EFFICIENCY,
        counts=counts,
        allowed=(counts <= max_instances)
        & ((counts * accelerators >= needs.min_accelerators) | (accelerators == 0)),
    )


@dataclass(frozen=True, eq=False)
class TrainingLayout:
    """One way to lay a job on every size of cluster of each type; arrays of sizes x types."""

    memory: TrainingMemory
    usable_bytes: Array
    """Of each type."""
    fits: Marks
    seconds: Array
    """Of the arithmetic of the whole job."""
    sharded: bool = False
    recompute: bool = False

    def memory_estimate(self, size: int, i: int) -> MemoryEstimate:
        """Return what a processor of the type at position ``i`` holds in a cluster of a size."""

        def gib(part: float | Array) -> float:
            return float(np.broadcast_to(part, self.fits.shape)[size, i]) / GIB

        return MemoryEstimate.trusted(
            {
                "weights_gib": gib(self.memory.weights),
                "kv_cache_gib": 0.0,
                "activations_gib": gib(self.memory.activations),
                "gradients_gib": gib(self.memory.gradients),
                "optimizer_gib": gib(self.memory.optimizer),
                "reserve_gib": self.memory.reserve / GIB,
                "usable_gib": float(self.usable_bytes[i]) / GIB,
            }
        )
