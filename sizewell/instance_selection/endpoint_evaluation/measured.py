"""What measurements say of the types that they were made on, and of those with the same processors.

A measurement divided by its prediction is what the estimate does not know of the workload and its software. Types on which
a replica has the same processors share that: the same accelerators, as many of them; of CPUs the same cores, as many for a
worker. What was measured on a type itself counts alone; of several siblings the geometric mean, of memory the most.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

import numpy as np

from sizewell.instance_selection.endpoint_evaluation.layout import SHORTEST_S, Layout
from sizewell.instance_selection.endpoint_evaluation.times import EndpointTimes
from sizewell.instance_selection.endpoint_evaluation.types import EndpointTypes
from sizewell.instance_selection.estimation.coefficients import Array
from sizewell.instance_selection.estimation.queueing import SERVICE_TAIL
from sizewell.instance_selection.latency_bounds import P95

#: By what sizes with the same accelerators differ at most, as far as was published: of one model on g5.8xlarge and
#: g5.16xlarge, and on four A10G of g5.12xlarge and g5.48xlarge, with 10 to 200 users, mean latencies differ by 1 to 10 %, in
#: the pair far beyond saturation by 41 %, and its 90th percentiles by 57 % (source CYRUSTC of the calibration data).
SIBLING_FACTOR = 1.6


class Measured:
    """What the measurements of a workload say of each type, beside what is predicted without them."""

    def __init__(self, types: EndpointTypes, times: EndpointTimes, layout: Layout) -> None:
        self._types = types
        self._times = times
        self._layout = layout

    @cached_property
    def time_scale(self) -> Array:
        """The factor on the seconds of a request."""
        return self._of_all(self._time_ratios)

    def capacity_scale(self, capacity: Array) -> Array:
        """Return the factor on a capacity in requests per second, which ``time_scale`` is in already."""
        return self._of_all(
            {
                i: most / float(capacity[i])
                for i, m in self._types.measurements.items()
                if (most := m.max_requests_per_second) is not None and capacity[i] > 0
            }
        )

    @cached_property
    def peak_memory_gib(self) -> dict[int, float]:
        """The memory in use on the fullest device, by the position of the type."""
        own = {
            i: gib
            for i, m in self._types.measurements.items()
            if (gib := m.peak_accelerator_memory_gib) is not None
        }
        offered = self._types.machines.memory_bytes
        found = {}
        for i in range(len(self._types)):
            alike = [own[j] for j in self._measured_beside(i, own) if offered[j] == offered[i]]
            if alike:
                found[i] = max(alike)
        return found

    @cached_property
    def latency_of(self) -> tuple[tuple[str, ...], ...]:
        """For each type the others whose measured latency scales its estimate."""
        return self._others(self._time_ratios)

    @cached_property
    def scaled_by(self) -> tuple[tuple[str, ...], ...]:
        """For each type the others whose measured latency or throughput scales its estimate."""
        rates = {i: 1.0 for i, m in self._types.measurements.items() if m.max_requests_per_second is not None}
        both = zip(self.latency_of, self._others(rates), strict=True)
        return tuple(tuple(sorted({*first, *other})) for first, other in both)

    @cached_property
    def _time_ratios(self) -> dict[int, float]:
        found = {}
        apart_s = self._types.delay_of_s(P95) + self._types.pipeline_s(P95)
        for i, m in self._types.measurements.items():
            sharing = math.ceil((m.concurrency or 1.0) / self._layout.replicas[i])
            # Of several requests that wait for each other it does not tell what one takes.
            if m.p95_latency_ms is not None and (sharing == 1 or self._types.batches):
                request = self._times.serve(float(sharing), self._layout.degree).request
                computed_s = max(m.p95_latency_ms / 1000 - apart_s, SHORTEST_S)
                found[i] = computed_s / SERVICE_TAIL / float(request[i])
        return found

    def _of_all(self, own: Mapping[int, float]) -> Array:
        scale = np.ones(len(self._types))
        for i in range(len(self._types) if own else 0):
            if beside := self._measured_beside(i, own):
                scale[i] = math.exp(math.fsum(math.log(own[j]) for j in beside) / len(beside))
        return scale

    def _others(self, own: Mapping[int, float]) -> tuple[tuple[str, ...], ...]:
        types = self._types.instance_types
        return tuple(
            tuple(types[j].name for j in self._measured_beside(i, own) if j != i) for i in range(len(types))
        )

    def _measured_beside(self, i: int, own: Mapping[int, float]) -> tuple[int, ...]:
        """Return the types whose measurements count for a type: itself, else those with the same processors."""
        return (i,) if i in own else tuple(j for j in own if self._processors[j] == self._processors[i])

    @cached_property
    def _processors(self) -> tuple[tuple[object, ...], ...]:
        """The processors of a replica of each type. Where they are equal, a measurement of one type holds for the other."""
        machines, tabular = self._types.machines, self._types.needs.model.architecture.tabular
        found: list[tuple[object, ...]] = []
        for i, instance_type in enumerate(self._types.instance_types):
            host = (
                instance_type.cpu_architecture,
                instance_type.cpu and replace(instance_type.cpu, name=""),
                instance_type.burstable,
            )
            chip = (machines.chips[i], machines.flops[i], machines.bandwidth[i])
            if tabular:
                found.append(host)
            elif self._types.on_cpu[i]:
                found.append((*chip, *host))
            else:
                found.append((*chip, machines.links[i], self._layout.degree[i]))
        return tuple(found)
