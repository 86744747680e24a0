"""Which models of a multi-model endpoint each type keeps in memory, and what it takes to load another one.

SageMaker sends the requests of a model to an instance that has it in memory, and to a second one where the first is busy
(https://docs.aws.amazon.com/sagemaker/latest/dg/how-multi-mode-endpoints-work.html): instances hold different models, but for
second copies of busy ones. As an instance is busy with what it serves, the copies beyond the first are fewer than instances.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sizewell.facts.serving_modes import Mode, limit, multi_model_gpu_families
from sizewell.instance_selection.endpoint_evaluation.layout import Layout
from sizewell.instance_selection.endpoint_evaluation.memory import EndpointMemory
from sizewell.instance_selection.endpoint_evaluation.types import EndpointTypes
from sizewell.instance_selection.estimation.coefficients import Array
from sizewell.instance_selection.estimation.hardware import GIB
from sizewell.instance_selection.estimation.memory import stored_bytes
from sizewell.instance_selection.estimation.model_cache import miss_share, popularity
from sizewell.instance_selection.filters import Marks
from sizewell.instance_selection.requirements import ModelSet


@dataclass(eq=False)
class LoadedModels:
    """The models of each type; a column has one entry per type."""

    models: ModelSet
    _types: EndpointTypes
    _memory: EndpointMemory
    _layout: Layout

    @property
    def _tabular(self) -> bool:
        return self._types.needs.model.architecture.tabular

    @cached_property
    def hosted(self) -> Marks:
        """Whether multi-model endpoints take the type: any CPU, or one GPU of some families, which scores no rows."""
        gpus = frozenset() if self._tabular else multi_model_gpu_families()
        return np.array(
            [
                not instance_type.accelerator_count
                or (instance_type.accelerator_count == 1 and instance_type.family in gpus)
                for instance_type in self._types.instance_types
            ],
            bool,
        )

    @cached_property
    def copy_gib(self) -> Array:
        """What one more model takes: on a CPU its worker processes, each with the weights; on a GPU weights and buffers."""
        memory = self._memory.of_device()
        process_gib = limit(Mode.MULTI_MODEL, "tabular_runtime_gib" if self._tabular else "runtime_gib")
        on_cpu = self.models.workers_per_model * (memory.weights / GIB + process_gib)
        on_gpu = (memory.weights + memory.activations) / GIB
        return np.where(self._types.on_cpu, on_cpu, on_gpu) * (1 + self._types.needs.margin)

    @cached_property
    def room_gib(self) -> Array:
        """What models may take: the memory less that of the requests in progress, or the context of a GPU."""
        memory = self._memory.of_device()
        work = (memory.cache + memory.activations) * np.where(self._types.on_cpu, self._memory.workers, 0.0)
        used = (work + memory.reserve) * (1 + self._types.needs.margin)
        return np.maximum(self._types.machines.memory_bytes - used, 0.0) / GIB

    @cached_property
    def per_instance(self) -> Array:
        """How many models one instance keeps in memory."""
        fitting = np.floor(self.room_gib / np.maximum(self.copy_gib, 1e-9))
        return np.minimum(fitting, self.models.count)

    @cached_property
    def load_s(self) -> float:
        """From a request whose model is not in memory to that model, downloaded and loaded.

        What a server unloads stays on the disk as long as there is room: then it loads sooner.
        """
        artifact_gib = self.models.artifact_gib or stored_bytes(self._types.needs.model) / GIB
        return limit(Mode.MULTI_MODEL, "load_s") + limit(Mode.MULTI_MODEL, "load_s_per_gib") * artifact_gib

    @cached_property
    def one_worker_share(self) -> Array:
        """The share of an instance that may work: the most popular model keeps no more of it busy than its own workers."""
        most = popularity(self.models).shares.max()
        busy = np.where(self._types.on_cpu, self._layout.replicas * most, 0.0)
        return np.minimum(1.0, self.models.workers_per_model / np.maximum(busy, 1e-9))

    def misses(self, instances: Array) -> Array:
        """Return the share of requests whose model so many instances must load first."""
        held = instances * self.per_instance - (instances - 1.0)
        return miss_share(self.models, np.where(self.per_instance > 0, held, 0.0))

    def work(self, instances: Array) -> Array:
        """Return how many times the work of an answer a request takes, loads included: a worker that loads does nothing else."""
        return 1.0 + self.misses(instances) * self.load_s / self._layout.alone.request

    def percentile_s(self, percentile: float, p95_s: Array, p99_s: Array, instances: Array) -> Array:
        """Return a percentile of all requests, of which those that find their model take so long, the others a load longer.

        So many of the slowest wait for a load that the percentile is one of the others further up their tail, which is taken
        to fall off exponentially.
        """
        misses = self.misses(instances)
        cold_s = self.load_s + p95_s
        found = (1 - percentile - misses) / np.maximum(1 - misses, 1e-12)
        with np.errstate(divide="ignore", invalid="ignore"):
            further = np.log(0.05 / np.maximum(found, 1e-12)) / np.log(5.0)
        warm_s = p95_s + (p99_s - p95_s) * further
        return np.where(found > 1e-9, np.minimum(warm_s, cold_s), cold_s)
