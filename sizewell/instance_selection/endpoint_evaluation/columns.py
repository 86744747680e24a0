"""The estimates of an endpoint on every eligible instance type, each computed on first use."""

from dataclasses import replace
from functools import cached_property

import numpy as np

from sizewell.instance_selection.eligibility import Eligible
from sizewell.instance_selection.endpoint_evaluation.capacity import EndpointCapacity
from sizewell.instance_selection.endpoint_evaluation.layout import Layout, lay_out
from sizewell.instance_selection.endpoint_evaluation.loaded_models import LoadedModels
from sizewell.instance_selection.endpoint_evaluation.measured import Measured
from sizewell.instance_selection.endpoint_evaluation.memory import EndpointMemory
from sizewell.instance_selection.endpoint_evaluation.times import EndpointTimes
from sizewell.instance_selection.endpoint_evaluation.types import EndpointTypes
from sizewell.instance_selection.estimation.coefficients import Array
from sizewell.instance_selection.estimation.hardware import GIB
from sizewell.instance_selection.estimation.memory import ServingMemory
from sizewell.instance_selection.estimation.queueing import service_tail
from sizewell.instance_selection.latency_bounds import LatencyBound
from sizewell.instance_selection.requirements import EndpointRequirements


class EndpointColumns:
    """All eligible types under the requirements of one endpoint; every column has one entry per type."""

    def __init__(self, needs: EndpointRequirements, eligible: Eligible) -> None:
        self.needs = needs
        self.types = EndpointTypes(needs, eligible)
        self.memory = EndpointMemory(self.types)
        self.times = EndpointTimes(self.types)
        self.measured: Measured | None = None
        if self.types.measurements:
            predicted = EndpointColumns(replace(needs, measurements=()), eligible)
            self.measured = Measured(self.types, predicted.times, predicted.layout)
            self.memory = EndpointMemory(self.types, self.measured.peak_memory_gib)
            self.times = EndpointTimes(self.types, self.measured.times.factors, self.measured.part_scales)

    @cached_property
    def layout(self) -> Layout:
        """The best way to lay the model on each type."""
        return lay_out(self.types, self.memory, self.times)

    @cached_property
    def capacity(self) -> EndpointCapacity:
        """What that carries."""
        return EndpointCapacity(self.types, self.times, self.layout, self.measured, self.loaded)

    @cached_property
    def loaded(self) -> LoadedModels | None:
        """The models of a multi-model endpoint; None of one model."""
        models = self.needs.models
        return LoadedModels(models, self.types, self.memory, self.layout) if models else None

    def interval_of(self, part: str) -> tuple[Array, Array]:
        """Return the factors below and above a part of latency of the nominal 90 % range.

        After a measurement it is no wider than types differ that share an error.
        """
        interval = self.times.interval_of(part, self.layout.degree)
        if self.measured is None:
            return interval
        return self.measured.parts.get(part, self.measured.times).narrowed(*interval)

    @cached_property
    def idle_s(self) -> dict[LatencyBound, Array]:
        """The latency that each stated bound limits on an idle instance, in the layout that comes nearest to all bounds."""
        return {
            bound: getattr(self.layout.fastest, bound.part) * service_tail(bound.percentile)
            + self.types.delay_of_s(bound)
            for bound, _ in self.types.bounds
        }

    @cached_property
    def memory_in_use_gib(self) -> Array:
        """The memory of one device while as many requests are in progress as it serves; rows as of ``smallest_memory_gib``."""
        concurrency = np.maximum(self.layout.concurrency, 1.0) if self.types.batches else 1.0
        return self._in_gib(self.memory.of_device(concurrency, self.layout.degree))

    @cached_property
    def smallest_memory_gib(self) -> Array:
        """Weights, cache, activations and reserve for one request, and what is usable: five rows, a column for each type."""
        return self._in_gib(self.layout.smallest_memory)

    def _in_gib(self, memory: ServingMemory) -> Array:
        parts = (memory.weights, memory.cache, memory.activations, memory.reserve, self.memory.device_bytes)
        return np.array(np.broadcast_arrays(*parts)) / GIB
