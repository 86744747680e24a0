"""What one instance type would do for an endpoint: memory, latency, capacity and count, each computed once."""

import math
from dataclasses import dataclass
from functools import cached_property

from instance_selection.catalog import InstanceType
from instance_selection.estimation.efficiencies import Efficiency, find_efficiency
from instance_selection.estimation.hardware import Processor, processor
from instance_selection.estimation.queueing import SERVICE_TAIL, max_utilization, p95_latency_s
from instance_selection.estimation.serving_latency import request_s
from instance_selection.estimation.serving_memory import estimate_serving_memory
from instance_selection.requirements import Architecture, EndpointRequirements, Engine, HardwareKind
from instance_selection.results import EndpointEstimate, MemoryEstimate

#: Most sequences that an LLM engine keeps in progress (vLLM: max_num_seqs, default 256).
MAX_SEQUENCES = 256
#: Sustained speed of a burstable vCPU: the lowest baseline of the t2 and t3 sizes on SageMaker (EC2 user guide,
#: "Key concepts for burstable performance instances": t2.2xlarge 16.9 %).
BURSTABLE_BASELINE = 0.169


@dataclass(frozen=True)
class EndpointEvaluation:
    """One instance type under the requirements of one endpoint.

    The properties below ``processor_or_reason`` are meaningful only for a type that passed the filters before them.
    """

    needs: EndpointRequirements
    instance_type: InstanceType

    @cached_property
    def processor_or_reason(self) -> Processor | str:
        """One accelerator, or why the type cannot be described."""
        return processor(self.instance_type, self.needs.model.precision)

    @cached_property
    def processor(self) -> Processor:
        """One accelerator, or the share of a CPU that one worker has."""
        found = self.processor_or_reason
        assert isinstance(found, Processor), found
        return found

    @cached_property
    def efficiency(self) -> Efficiency | None:
        """How much of the spec sheet is reached, or None where nothing is known."""
        chip = self.processor
        found = find_efficiency(
            "inference", chip.table_name, self.needs.engine, self.needs.model.architecture, chip.precision
        )
        if found and self.instance_type.burstable:
            return Efficiency(
                found.compute * BURSTABLE_BASELINE,
                found.bandwidth,
                found.launch_us_per_layer / BURSTABLE_BASELINE,
                found.source,
            )
        return found

    @cached_property
    def degree(self) -> int:
        """The least tensor-parallel degree at which one request fits; the greatest one where none does."""
        if self.needs.model.architecture is not Architecture.DECODER or self._is_cpu:
            return 1
        degree = 1
        while degree * 2 <= self.processor.count and not self._memory(degree, 1).fits:
            degree *= 2
        return degree

    @cached_property
    def replicas(self) -> int:
        """Copies of the model on one instance."""
        return self.processor.count // self.degree

    @cached_property
    def least_memory(self) -> MemoryEstimate:
        """The memory of a single request."""
        return self._memory(self.degree, 1)

    @cached_property
    def host_memory_needed_gib(self) -> float:
        """Weights pass through host memory on their way to an accelerator."""
        return 0.0 if self._is_cpu else self.least_memory.weights_gib * self.degree

    @cached_property
    def service_s(self) -> float:
        """Seconds of one request alone."""
        return self._request_s(1)

    @cached_property
    def unloaded_p95_s(self) -> float:
        """The 95th percentile without any waiting, in seconds."""
        return self.service_s * SERVICE_TAIL

    @cached_property
    def max_p95_s(self) -> float:
        """The latency bound in seconds; a hair wider, so that a bound of just what is reached stands rounding."""
        return self.needs.max_p95_latency_ms / 1000 * (1 + 1e-9)

    @cached_property
    def concurrency(self) -> int:
        """The most requests in progress on one replica that fit in memory and meet the latency bound."""
        if self.needs.engine is not Engine.LLM_ENGINE:
            return max(1, int(self.max_p95_s / self.unloaded_p95_s)) if self._users else 1
        low, high = 0, MAX_SEQUENCES
        while low < high:
            middle = (low + high + 1) // 2
            fits = self._memory(self.degree, middle).fits
            if fits and self._request_s(middle) * SERVICE_TAIL <= self.max_p95_s:
                low = middle
            else:
                high = middle - 1
        return low

    @cached_property
    def capacity_requests_per_second(self) -> float:
        """The load of one instance at which the 95th percentile meets the bound just so."""
        if self.needs.engine is Engine.LLM_ENGINE:
            return self.replicas * self.concurrency / self._request_s(self.concurrency)
        if self._users:
            return self.replicas / self.service_s
        return self.replicas * max_utilization(self.service_s, self.max_p95_s) / self.service_s

    def instances_for(self, *, users: float | None, requests_per_second: float | None) -> int:
        """Return how many instances serve a load with the headroom kept free."""
        if users is not None:
            load, capacity = users, float(self.replicas * self.concurrency)
        else:
            load, capacity = requests_per_second or 0.0, self.capacity_requests_per_second
        # A hair below the next whole number is that number: 3 / (1 - 0.25) must not become 5 instances of 4.
        return max(1, math.ceil(load / (capacity * (1 - self.needs.headroom)) - 1e-9))

    @cached_property
    def instances_at_peak(self) -> int:
        """Instances that carry the peak load."""
        needs = self.needs
        count = self.instances_for(
            users=needs.peak_concurrent_users, requests_per_second=needs.peak_requests_per_second
        )
        return max(count, needs.min_instances)

    @cached_property
    def instances_at_average(self) -> int:
        """The number of instances that is paid for; a burstable type is not scaled, so all run all the time."""
        if self.instance_type.burstable:
            return self.instances_at_peak
        needs = self.needs
        count = self.instances_for(
            users=needs.average_concurrent_users or needs.peak_concurrent_users,
            requests_per_second=needs.average_requests_per_second or needs.peak_requests_per_second,
        )
        return max(count, needs.min_instances)

    @cached_property
    def estimate(self) -> EndpointEstimate:
        """Everything that the plan reports of this type."""
        p95_s, utilization = self._at_peak()
        return EndpointEstimate(
            memory=self._memory(
                self.degree, self.concurrency if self.needs.engine is Engine.LLM_ENGINE else 1
            ),
            tensor_parallel_degree=self.degree,
            replicas_per_instance=self.replicas,
            service_time_ms=self.service_s * 1000,
            p95_latency_ms=p95_s * 1000,
            capacity_requests_per_second=self.capacity_requests_per_second,
            capacity_concurrency=self.replicas * self.concurrency,
            utilization=utilization,
            instances_at_average=self.instances_at_average,
            instances_at_peak=self.instances_at_peak,
        )

    def _at_peak(self) -> tuple[float, float]:
        """Return the 95th percentile in seconds and the share of capacity in use."""
        replicas = self.replicas * self.instances_at_peak
        if self._users:
            users = self.needs.peak_concurrent_users or 0.0
            each = math.ceil(users / replicas)
            slowest_s = (
                self._request_s(each) if self.needs.engine is Engine.LLM_ENGINE else self.service_s * each
            )
            return slowest_s * SERVICE_TAIL, users / (replicas * self.concurrency)
        load = (self.needs.peak_requests_per_second or 0.0) / replicas
        utilization = load * self.replicas / self.capacity_requests_per_second
        if self.needs.engine is not Engine.LLM_ENGINE:
            return p95_latency_s(self.service_s, load * self.service_s), utilization
        each = 1
        while each < self.concurrency and each / self._request_s(each) < load:
            each += 1
        return self._request_s(each) * SERVICE_TAIL, utilization

    @property
    def _users(self) -> bool:
        return self.needs.peak_concurrent_users is not None

    @property
    def _is_cpu(self) -> bool:
        return self.processor.kind in (HardwareKind.CPU_X86_64, HardwareKind.CPU_ARM64)

    def _memory(self, degree: int, concurrency: int) -> MemoryEstimate:
        return estimate_serving_memory(self.needs, self.processor, degree, concurrency)

    def _request_s(self, concurrency: int) -> float:
        assert self.efficiency is not None
        return request_s(
            self.needs, self.processor, self.efficiency, concurrency=concurrency, degree=self.degree
        )
