"""The training of trees or of a linear model on a table, on one instance."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from sizewell.instance_selection.catalog import InstanceType
from sizewell.instance_selection.estimation import boosting, boosting_memory
from sizewell.instance_selection.estimation.coefficients import Array, coefficients
from sizewell.instance_selection.estimation.hardware import GIB, USABLE_HOST_SHARE
from sizewell.instance_selection.estimation.machines import Machines, where_is
from sizewell.instance_selection.estimation.memory import CONTEXT_BYTES
from sizewell.instance_selection.estimation.training_memory import TrainingMemory
from sizewell.instance_selection.estimation.uncertainty import estimate_class, interval_factors
from sizewell.instance_selection.filters import Marks
from sizewell.instance_selection.requirements import TrainingRequirements
from sizewell.instance_selection.training_evaluation.layouts import Clusters, TrainingLayout

#: Features of a table whose configuration states none.
DEFAULT_FEATURES = 10


class TableTraining:
    """A table on all eligible types."""

    def __init__(
        self,
        needs: TrainingRequirements,
        types: Sequence[InstanceType],
        machines: Machines,
        clusters: Clusters,
    ) -> None:
        self._needs = needs
        self._types = types
        self._machines = machines
        self._clusters = clusters
        self._features = float(needs.model.features or DEFAULT_FEATURES)
        self._grows_trees = needs.model.architecture.traits.grows_trees
        self._host_bytes = np.array([t.memory_gib for t in types]) * GIB * USABLE_HOST_SHARE
        #: Every type trains a table, on its CPU if not on its GPU.
        self.reasons = ("",) * len(types)

    @cached_property
    def layouts(self) -> tuple[TrainingLayout, ...]:
        """The only one."""
        table = np.where(self.memory_is_on_host, self._table_bytes, self._gpu_table_bytes)
        memory = TrainingMemory(0.0, 0.0, 0.0, table, CONTEXT_BYTES)
        usable = np.where(self.memory_is_on_host, self._host_bytes, self._machines.memory_bytes)
        fits = (memory.total * (1 + self._needs.margin) <= usable) & self._clusters.allowed
        return (TrainingLayout(memory, usable, fits, np.broadcast_to(self._seconds, fits.shape)),)

    @cached_property
    def memory_is_on_host(self) -> Marks:
        """Whether the memory of the host decides: that of a CPU, and of a table that fills more of it than of one GPU."""
        on_gpu = self._gpu_table_bytes * self._host_bytes >= self._table_bytes * self._machines.memory_bytes
        return np.asarray(~(where_is(self._machines, "kinds", "cuda") & on_gpu))

    @property
    def interval(self) -> tuple[Array, Array]:
        """The factors below and above the time on each type of the nominal 90 % range."""
        count = len(self._types)
        return interval_factors([(estimate_class("boosting", ""), "")] * count, np.zeros(count))

    def utilization(self, units_per_second: float, instances: int, i: int) -> float:
        """Return 0: a table is not a matter of peak arithmetic."""
        return 0.0

    @property
    def _seconds(self) -> Array:
        model, machines, trees = self._needs.model, self._machines, self._grows_trees
        labels = boosting.boosting_labels(machines.kinds, (model.framework,) * len(machines))
        return boosting.training_seconds(
            coefficients("boosting").values(labels, len(machines)),
            labels,
            rows=self._needs.units,
            features=self._features,
            # A linear model passes over the table once for each epoch, which the units count.
            rounds=float(model.trees) if trees else 1.0,
            depth=float(model.tree_depth) if trees else 1.0,
            cores=machines.cores,
            core_ghz=machines.core_ghz,
            socket_cores=machines.socket_cores,
            bandwidth=machines.bandwidth,
            host_cores=np.array([t.vcpus / 2 for t in self._types]),
        )

    @cached_property
    def _table_bytes(self) -> float:
        return boosting_memory.host_table_bytes(rows=self._needs.units, features=self._features)

    @cached_property
    def _gpu_table_bytes(self) -> float:
        model = self._needs.model
        if not self._grows_trees:
            return 0.0
        return boosting_memory.gpu_training_bytes(
            model.framework, rows=self._needs.units, features=self._features, depth=float(model.tree_depth)
        )
