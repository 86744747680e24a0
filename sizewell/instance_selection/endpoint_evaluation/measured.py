"""What measurements say of the types that they were made on, and of all others.

A measurement divided by its prediction is what the estimate does not know of the workload and its software. Siblings, types
on which a replica has the same processors, share all of that: the same accelerators, as many of them; of CPUs the same
cores, as many for a worker. Other types share most of it (`shared_error`). What was measured on a type itself counts alone,
then what was measured on siblings; of memory the most.
"""

import math
from dataclasses import replace
from functools import cached_property

from sizewell.instance_selection.endpoint_evaluation.layout import SHORTEST_S, Layout
from sizewell.instance_selection.endpoint_evaluation.times import EndpointTimes
from sizewell.instance_selection.endpoint_evaluation.types import EndpointTypes
from sizewell.instance_selection.estimation.coefficients import Array
from sizewell.instance_selection.estimation.queueing import SERVICE_TAIL
from sizewell.instance_selection.estimation.shared_error import Shared
from sizewell.instance_selection.latency_bounds import FIRST_TOKEN, INTER_TOKEN, P95, LatencyBound


class Measured:
    """What the measurements of a workload say of each type, beside what is predicted without them."""

    def __init__(self, types: EndpointTypes, times: EndpointTimes, layout: Layout) -> None:
        self._types = types
        self._times = times
        self._layout = layout

    @cached_property
    def times(self) -> Shared:
        """What measured latencies say of the seconds of a request."""
        return Shared(self._processors, self._errors(P95))

    @cached_property
    def parts(self) -> dict[str, Shared]:
        """What measured first tokens and times between tokens say of these parts of an answer; none that nobody measured."""
        bounds = (FIRST_TOKEN, INTER_TOKEN) if self._types.generates else ()
        found = {bound.part: Shared(self._processors, self._errors(bound)) for bound in bounds}
        return {part: shared for part, shared in found.items() if shared.errors}

    @property
    def part_scales(self) -> dict[str, Array]:
        """The factors on measured parts of an answer, beside those of ``times``."""
        return {part: shared.factors / self.times.factors for part, shared in self.parts.items()}

    def _errors(self, bound: LatencyBound) -> dict[int, float]:
        """Return what was measured of a part of an answer over what is predicted of it, by the position of the type."""
        found = {}
        apart_s = self._types.delay_of_s(bound) + self._types.pipeline_s(bound)
        for i, m in self._types.measurements.items():
            sharing = math.ceil((m.concurrency or 1.0) / self._layout.replicas[i])
            # Of several requests that wait for each other it does not tell what one takes.
            measured_ms: float | None = getattr(m, bound.figure)
            if measured_ms is not None and (sharing == 1 or self._types.batches):
                served = self._times.serve(float(sharing), self._layout.degree)
                computed_s = max(measured_ms / 1000 - apart_s, SHORTEST_S)
                found[i] = computed_s / SERVICE_TAIL / float(getattr(served, bound.part)[i])
        return found

    def capacities(self, capacity: Array) -> Shared:
        """Return what measured throughputs say of a capacity in requests per second, which ``times`` is in already."""
        return Shared(
            self._processors,
            {
                i: most / float(capacity[i])
                for i, m in self._types.measurements.items()
                if (most := m.max_requests_per_second) is not None and capacity[i] > 0
            },
        )

    @cached_property
    def peak_memory_gib(self) -> dict[int, float]:
        """The memory in use on the fullest device, by the position of the type."""
        own = {
            i: gib
            for i, m in self._types.measurements.items()
            if (gib := m.peak_accelerator_memory_gib) is not None
        }
        offered, measured = self._types.machines.memory_bytes, Shared(self._processors, own)
        found = {}
        for i in range(len(self._types)):
            alike = [own[j] for j in measured.siblings(i) if offered[j] == offered[i]]
            if alike:
                found[i] = max(alike)
        return found

    @cached_property
    def scaled_by(self) -> tuple[tuple[str, ...], ...]:
        """For each type the others whose measured latency, part of an answer or throughput scales its estimate."""
        rates = {i: 1.0 for i, m in self._types.measurements.items() if m.max_requests_per_second is not None}
        measured = (self.times, *self.parts.values(), Shared(self._processors, rates))
        types = self._types.instance_types
        return tuple(
            tuple(sorted({types[j].name for shared in measured for j in shared.by[i]}))
            for i in range(len(types))
        )

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
