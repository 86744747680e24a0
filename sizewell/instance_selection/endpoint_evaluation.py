"""The estimates of an endpoint on every eligible instance type: memory, latency, capacity and count, as columns."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sizewell.facts.production_variants import VOLUME_SIZE_BOUNDS_GIB
from sizewell.instance_selection.eligibility import Eligible
from sizewell.instance_selection.estimation.coefficients import Array, coefficients
from sizewell.instance_selection.estimation.forward import DECISIVE as FORWARD_DECISIVE
from sizewell.instance_selection.estimation.forward import forward_seconds
from sizewell.instance_selection.estimation.generation import DECISIVE as GENERATION_DECISIVE
from sizewell.instance_selection.estimation.generation import Served, decoder_of, experts_read, serve
from sizewell.instance_selection.estimation.hardware import BASE_VOLUME_GIB, GIB, USABLE_HOST_SHARE
from sizewell.instance_selection.estimation.machines import Machines
from sizewell.instance_selection.estimation.memory import (
    NEAR_FULL,
    ServingMemory,
    serving_memory,
    stored_bytes,
)
from sizewell.instance_selection.estimation.queueing import SERVICE_TAIL, max_utilization, p95_latency_s
from sizewell.instance_selection.estimation.uncertainty import interval_factors
from sizewell.instance_selection.estimation.work import forward_work
from sizewell.instance_selection.filters import Marks
from sizewell.instance_selection.labels import serving_labels
from sizewell.instance_selection.measurement import Measurement
from sizewell.instance_selection.requirements import EndpointRequirements, Engine, Precision

#: Most sequences that an LLM engine keeps in progress (vLLM: max_num_seqs, default 256).
MAX_SEQUENCES = 256
#: Numbers of sequences that are tried, ascending.
SEQUENCES = np.array(
    [1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 128, 160, 192, 224, 256], float
)
#: Tensor-parallel degrees that engines split a model into.
DEGREES = (1, 2, 4, 8, 16, 24, 32)
#: Sustained speed of a burstable vCPU: the lowest baseline of the t2 and t3 sizes on SageMaker (EC2 user guide,
#: "Key concepts for burstable performance instances": t2.2xlarge 16.9 %).
BURSTABLE_BASELINE = 0.169
#: Parsing, scoring and answering one row by a web server in Python, on one core (SageMaker guide, "Inference
#: Recommender load test": 500 requests per second of an XGBoost container on one ml.c5.large).
TABULAR_REQUEST_S = 2.5e-3
#: Visiting one node of a tree, with the cache miss that it costs.
TREE_NODE_S = 5e-9
_MEASURED_WORDS = {
    "p95_latency_ms": "latency",
    "max_requests_per_second": "throughput",
    "peak_accelerator_memory_gib": "memory",
}
#: A bound of just what is reached stands rounding.
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class _Layout:
    """How the model lies on each type, and what it then does; one entry per type."""

    degree: Array
    fits: Marks
    """Whether a single request fits at all."""
    smallest_memory: ServingMemory
    fastest_s: Array
    """One request alone, on the fastest layout that fits."""
    service_s: Array
    concurrency: Array
    """Requests in progress on one replica within memory and latency; 0 where not even one is."""
    replicas: Array


class EndpointColumns:
    """All eligible types under the requirements of one endpoint; every property has one entry per type."""

    def __init__(self, needs: EndpointRequirements, eligible: Eligible) -> None:
        self.needs = needs
        self.types = eligible.instance_types
        architecture = needs.model.architecture
        # What compares numbers needs no unit of low precision.
        precision = Precision.FP32 if architecture.tabular else needs.model.precision
        self.machines: Machines = eligible.machines(precision, architecture)
        self._cpu = np.array([k == "cpu" for k in self.machines.kinds])
        self.burstable = np.array([t.burstable for t in self.types])
        self._slowdown = np.where(self.burstable, BURSTABLE_BASELINE, 1.0)
        self._measured: dict[int, Measurement] = {
            i: m for m in needs.measurements for i, t in enumerate(self.types) if t.name == m.instance_type
        }

    @property
    def generates(self) -> bool:
        """Whether answers are written token by token."""
        return self.needs.model.architecture.generates and self.needs.output_tokens > 0

    @property
    def batches(self) -> bool:
        """Whether a replica works on several requests at a time; without continuous batching it takes turns."""
        return self.generates and self.needs.engine is Engine.LLM_ENGINE

    @cached_property
    def max_p95_s(self) -> Array:
        """The latency bound in seconds, less the margin that a prediction must leave and a measurement need not."""
        bound = self.needs.max_p95_latency_ms / 1000 * (1 + ROUNDING)
        return np.array([bound if "latency" in m else bound / (1 + self.needs.margin) for m in self.measured])

    @cached_property
    def layout(self) -> _Layout:
        """The best way to lay the model on each type."""
        return self._generating_layout() if self.generates else self._single_pass_layout()

    @cached_property
    def host_memory_needed_gib(self) -> Array:
        """Weights pass through host memory on their way to an accelerator; look-up tables stay there."""
        return np.where(self._cpu, 0.0, stored_bytes(self.needs.model) / GIB)

    @cached_property
    def host_memory_gib(self) -> Array:
        """What the host offers."""
        return np.array([t.memory_gib for t in self.types]) * USABLE_HOST_SHARE

    @cached_property
    def artifact_gb(self) -> float:
        """What must lie on the disk, in 10^9 bytes: the artifact where its size is stated, otherwise the weights."""
        if self.needs.artifact_gib is not None:
            return self.needs.artifact_gib * GIB / 1e9
        return stored_bytes(self.needs.model) / 1e9

    @cached_property
    def disk_gb(self) -> Array:
        """Local NVMe storage, where the type has one: no volume can be attached there. Elsewhere, the largest volume."""
        largest_volume_gb = (VOLUME_SIZE_BOUNDS_GIB[1] - BASE_VOLUME_GIB) * GIB / 1e9
        return np.array(
            [t.local_storage_gb if t.local_storage_nvme else largest_volume_gb for t in self.types]
        )

    @cached_property
    def latency_misses(self) -> Marks:
        """Types whose single request is already too slow."""
        p95 = self.layout.fastest_s * SERVICE_TAIL
        return np.asarray((p95 > self.max_p95_s) | (self.layout.concurrency < 1))

    @cached_property
    def capacity(self) -> Array:
        """Requests per second of one instance at which the 95th percentile meets the bound just so."""
        found = self.layout
        if self.batches:
            served = self._serve(np.maximum(found.concurrency, 1.0), found.degree)
            capacity = found.replicas * found.concurrency / served.request
        elif self._users:
            capacity = found.replicas / found.service_s
        else:
            # The replicas of an instance take their requests from one queue; instances have one each.
            busy = max_utilization(found.service_s, self.max_p95_s, found.replicas)
            capacity = found.replicas * busy / found.service_s
        for i, m in self._measured.items():
            if m.max_requests_per_second is not None:
                capacity[i] = m.max_requests_per_second
        return np.asarray(capacity)

    @cached_property
    def instances_at_peak(self) -> Array:
        """Instances that carry the peak load."""
        needs = self.needs
        return np.maximum(
            self._instances(needs.peak_concurrent_users, needs.peak_requests_per_second), needs.min_instances
        )

    @cached_property
    def instances_at_average(self) -> Array:
        """Instances that run at average load; a burstable type is not scaled, so all run all the time."""
        least = np.maximum(self._average_load, self.needs.min_instances)
        return np.where(self.burstable, self.instances_at_peak, least)

    @cached_property
    def instances_paid(self) -> Array:
        """Instances that are paid for: those at average load, by the week where the clock changes their bounds."""
        weeks = self.needs.bounds_of_week
        if not weeks:
            return self.instances_at_average
        hours = sum(week.hours_per_week for week in weeks)
        return sum(
            (
                np.clip(self._average_load, week.min_instances, week.max_instances)
                * (week.hours_per_week / hours)
                for week in weeks
            ),
            start=np.zeros(len(self.types)),
        )

    @cached_property
    def _average_load(self) -> Array:
        needs = self.needs
        return self._instances(
            needs.average_concurrent_users or needs.peak_concurrent_users,
            needs.average_requests_per_second or needs.peak_requests_per_second,
        )

    @cached_property
    def at_peak(self) -> tuple[Array, Array]:
        """The 95th percentile in seconds and the share of capacity in use, at peak load."""
        needs, found = self.needs, self.layout
        replicas = found.replicas * self.instances_at_peak
        if self._users:
            users = needs.peak_concurrent_users or 0.0
            each = np.ceil(users / replicas)
            slowest = self._serve(each, found.degree).request if self.batches else found.service_s * each
            p95 = slowest * SERVICE_TAIL
            utilization = users / (replicas * np.maximum(found.concurrency, 1))
        else:
            load = (needs.peak_requests_per_second or 0.0) / replicas
            utilization = load * found.replicas / np.maximum(self.capacity, 1e-12)
            if self.batches:
                p95 = self._request_at(load) * SERVICE_TAIL
            else:
                busy = np.minimum(load * found.service_s, 0.999)
                p95 = p95_latency_s(found.service_s, busy, found.replicas)
        for i, m in self._measured.items():
            if m.p95_latency_ms is not None:
                p95[i] = m.p95_latency_ms / 1000
        return p95, utilization

    @cached_property
    def interval(self) -> tuple[Array, Array]:
        """The factors below and above an estimate of time of the nominal 90 % range."""
        physics, decisive = (
            ("generation", GENERATION_DECISIVE) if self.generates else ("forward", FORWARD_DECISIVE)
        )
        labels = serving_labels(self.machines, self.needs.model, self.needs.engine)
        unseen = coefficients(physics).unseen_log_sd(labels, len(self.machines), decisive)
        return interval_factors(physics, self.machines.kinds, unseen, self.needs.model.architecture.value)

    @cached_property
    def measured(self) -> tuple[tuple[str, ...], ...]:
        """What was measured of each type."""
        nothing: tuple[str, ...] = ()
        found = [nothing] * len(self.types)
        for i, m in self._measured.items():
            found[i] = tuple(word for key, word in _MEASURED_WORDS.items() if getattr(m, key) is not None)
        return tuple(found)

    def memory(self, concurrency: float | Array, degree: float | Array) -> ServingMemory:
        """Return the memory of one device while a replica serves ``concurrency`` requests."""
        needs = self.needs
        return serving_memory(
            needs.model,
            needs.engine,
            kinds=self.machines.kinds,
            device_bytes=self.machines.memory_bytes,
            tokens=needs.input_tokens + needs.output_tokens,
            input_tokens=needs.input_tokens,
            sequences=concurrency if self.generates else max(needs.images_per_request, 1),
            degree=degree,
            value_scale=self._value_scale,
        )

    @cached_property
    def workers(self) -> Array:
        """Devices that serve; on a CPU processes with a copy of the model each: no more than the host holds."""
        needed = np.maximum(self.memory(1.0, 1.0).total, 1.0) * (1 + self.needs.margin)
        held = np.clip(np.floor(NEAR_FULL * self.machines.memory_bytes / needed), 1.0, self.machines.count)
        return np.where(self._cpu, held, self.machines.count)

    @cached_property
    def memory_bytes(self) -> Array:
        """What one of the workers may use."""
        return np.where(self._cpu, self.machines.memory_bytes / self.workers, self.machines.memory_bytes)

    @cached_property
    def memory_in_use(self) -> ServingMemory:
        """The memory of one device of each type while as many requests are in progress as it serves."""
        concurrency = np.maximum(self.layout.concurrency, 1.0) if self.batches else 1.0
        return self.memory(concurrency, self.layout.degree)

    @cached_property
    def _value_scale(self) -> Array:
        # A processor without half precision stores and computes fp32.
        widened = np.asarray(self.machines.arithmetic) == "fp32"
        return np.where(widened & (self.needs.model.precision.bytes == 2.0), 2.0, 1.0)

    @property
    def _users(self) -> bool:
        return self.needs.peak_concurrent_users is not None

    def _instances(self, users: float | None, requests_per_second: float | None) -> Array:
        if users is not None:
            load, capacity = users, self.layout.replicas * self.layout.concurrency
        else:
            load, capacity = requests_per_second or 0.0, self.capacity
        # A hair below the next whole number is that number: 3 / (1 - 0.25) must not become 5 instances of 4.
        count = np.ceil(load / np.maximum(capacity * (1 - self.needs.headroom), 1e-12) - ROUNDING)
        return np.maximum(1.0, count)

    def _fits(self, needed_bytes: float | Array) -> Marks:
        fits = np.asarray(needed_bytes * (1 + self.needs.margin) <= self.memory_bytes)
        for i, m in self._measured.items():
            if m.peak_accelerator_memory_gib is not None:
                fits[..., i] = m.peak_accelerator_memory_gib * GIB <= self.memory_bytes[i]
        return fits

    def _single_pass_layout(self) -> _Layout:
        needs, model = self.needs, self.needs.model
        if model.architecture.tabular:
            service = np.full(len(self.types), TABULAR_REQUEST_S)
            if model.architecture.traits.grows_trees:
                service = service + model.trees * model.tree_depth * TREE_NODE_S
            # Rows are scored by the host's cores, whatever accelerator stands beside them.
            replicas = np.array([max(1.0, t.vcpus / 2) for t in self.types])
        else:
            work = forward_work(model, tokens=float(needs.input_tokens or 1))
            k = coefficients("forward").values(
                serving_labels(self.machines, model, needs.engine), len(self.machines)
            )
            weight_bytes = model.precision.bytes * self._value_scale
            batch = float(max(needs.images_per_request, 1))
            service = forward_seconds(work, self.machines, k, weight_bytes=weight_bytes, batch=batch)
            replicas = self.workers
        service = service / self._slowdown
        for i, m in self._measured.items():
            if m.p95_latency_ms is not None and (m.concurrency or 1.0) <= 1.0:
                service[i] = m.p95_latency_ms / 1000 / SERVICE_TAIL
        memory = self.memory(1.0, 1.0)
        concurrency = np.ones(len(self.types))
        if self._users:
            concurrency = np.maximum(1.0, np.floor(self.max_p95_s / (service * SERVICE_TAIL)))
        return _Layout(
            np.ones(len(self.types)),
            self._fits(memory.total),
            memory,
            service,
            service,
            concurrency,
            replicas,
        )

    def _generating_layout(self) -> _Layout:
        count = self.workers
        degrees = np.array([d for d in DEGREES if d <= count.max(initial=1)], float)[:, None, None]
        possible = (degrees <= count) & ((degrees == 1) | ~self._cpu)
        sequences = SEQUENCES[:, None] if self.needs.engine is Engine.LLM_ENGINE else SEQUENCES[:1, None]
        memory = np.broadcast_to(
            self.memory(sequences, degrees).total, (len(degrees), len(sequences), len(self.types))
        )
        fits = self._fits(memory) & possible
        request = self._serve(sequences, degrees).request
        fits_one = fits[:, 0, :]
        # The smallest degree at which one request fits; where there is none, the largest.
        largest = np.maximum(possible[:, 0, :].sum(0) - 1, 0)
        smallest = np.where(fits_one.any(0), fits_one.argmax(0), largest)
        fast = fits & (request * SERVICE_TAIL <= self.max_p95_s)
        # All smaller numbers of sequences meet the bound too.
        run = np.cumprod(fast, axis=1).sum(1)
        concurrency, at_limit = self._between(run, sequences[:, 0], request, memory)
        replicas = np.floor(count / degrees[:, 0, :])
        capacity = replicas * concurrency / at_limit
        best = np.where(concurrency.max(0) > 0, capacity.argmax(0), smallest)
        alone = np.where(fits_one, request[:, 0, :], np.inf).min(0)
        rows = np.arange(len(self.types))
        degree = degrees[best, 0, 0]
        service = request[best, 0, rows]
        chosen = concurrency[best, rows]
        fastest = np.where(np.isfinite(alone), alone, request[smallest, 0, rows])
        if self._users and self.needs.engine is not Engine.LLM_ENGINE:
            chosen = np.where(
                chosen > 0, np.maximum(1.0, np.floor(self.max_p95_s / (service * SERVICE_TAIL))), 0.0
            )
        for i, m in self._measured.items():
            if m.p95_latency_ms is not None and (m.concurrency or 1.0) <= 1.0:
                fastest[i] = service[i] = m.p95_latency_ms / 1000 / SERVICE_TAIL
                chosen[i] = max(chosen[i], 1.0)
        return _Layout(
            degree,
            fits_one.any(0),
            self.memory(1.0, degrees[smallest, 0, 0]),
            fastest,
            service,
            chosen,
            np.floor(count / degree),
        )

    def _between(self, run: Array, tried: Array, request: Array, memory: Array) -> tuple[Array, Array]:
        """Return the most sequences within memory and latency, and the seconds of a request among so many.

        ``run`` is how many of the ``tried`` numbers are within both. Between two of them both grow in proportion.
        """
        last = np.maximum(run - 1, 0)[:, None, :]
        following = np.minimum(last + 1, len(tried) - 1)
        n, more = tried[last], tried[following]
        seconds, later = (np.take_along_axis(request, i, axis=1) for i in (last, following))
        used, fuller = (np.take_along_axis(memory, i, axis=1) for i in (last, following))
        room = self.memory_bytes / (1 + self.needs.margin) - used
        time = self.max_p95_s / SERVICE_TAIL - seconds
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.fmin(room / (fuller - used), time / (later - seconds))
        share = np.clip(np.nan_to_num(share, nan=0.0), 0.0, 1.0)
        extra = np.floor(share * (more - n) + ROUNDING)
        step = np.divide(extra, more - n, out=np.zeros_like(extra), where=more > n)
        found = np.where(run[:, None, :] > 0, n + extra, 0.0)
        return found[:, 0, :], (seconds + step * (later - seconds))[:, 0, :]

    def _serve(self, sequences: float | Array, degree: float | Array) -> Served:
        needs, model = self.needs, self.needs.model
        k = coefficients("generation").values(
            serving_labels(self.machines, model, needs.engine), len(self.machines)
        )
        served = serve(
            decoder_of(model),
            self.machines,
            k,
            input_tokens=float(needs.input_tokens or 1),
            output_tokens=float(needs.output_tokens),
            sequences=sequences,
            degree=degree,
            continuous=needs.engine is Engine.LLM_ENGINE,
            experts=experts_read(model, sequences),
        )
        return Served(*(part / self._slowdown for part in (served.first_token, served.step, served.request)))

    def _request_at(self, load: Array) -> Array:
        """Return the seconds of a request at a load per replica: with as many others as the load keeps in progress."""
        sequences = SEQUENCES[:, None] if self.needs.engine is Engine.LLM_ENGINE else SEQUENCES[:1, None]
        request = self._serve(sequences, self.layout.degree).request
        carried = sequences / request >= load
        first = np.where(carried.any(0), carried.argmax(0), len(sequences) - 1)
        return np.asarray(request[first, np.arange(len(self.types))])
