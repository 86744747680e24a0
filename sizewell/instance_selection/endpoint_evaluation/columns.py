"""The estimates of an endpoint on every eligible instance type, each computed when it is first asked for."""

from functools import cached_property

import numpy as np

from sizewell.instance_selection.eligibility import Eligible
from sizewell.instance_selection.endpoint_evaluation.capacity import EndpointCapacity
from sizewell.instance_selection.endpoint_evaluation.layout import Layout, lay_out
from sizewell.instance_selection.endpoint_evaluation.memory import EndpointMemory
from sizewell.instance_selection.endpoint_evaluation.times import EndpointTimes
from sizewell.instance_selection.endpoint_evaluation.types import EndpointTypes
from sizewell.instance_selection.estimation.memory import ServingMemory
from sizewell.instance_selection.estimation.queueing import SERVICE_TAIL
from sizewell.instance_selection.filters import Marks
from sizewell.instance_selection.requirements import EndpointRequirements


class EndpointColumns:
    """All eligible types under the requirements of one endpoint; every column has one entry per type."""

    def __init__(self, needs: EndpointRequirements, eligible: Eligible) -> None:
        self.needs = needs
        self.types = EndpointTypes(needs, eligible)
        self.memory = EndpointMemory(self.types)
        self.times = EndpointTimes(self.types)

    @cached_property
    def layout(self) -> Layout:
        """The best way to lay the model on each type."""
        return lay_out(self.types, self.memory, self.times)

    @cached_property
    def capacity(self) -> EndpointCapacity:
        """What that carries."""
        return EndpointCapacity(self.types, self.times, self.layout)

    @cached_property
    def latency_misses(self) -> Marks:
        """Types whose single request is already too slow."""
        p95 = self.layout.fastest_s * SERVICE_TAIL + self.types.delay_s
        return np.asarray((p95 > self.types.max_p95_s) | (self.layout.concurrency < 1))

    @cached_property
    def memory_in_use(self) -> ServingMemory:
        """The memory of one device of each type while as many requests are in progress as it serves."""
        concurrency = np.maximum(self.layout.concurrency, 1.0) if self.types.batches else 1.0
        return self.memory.of_device(concurrency, self.layout.degree)
