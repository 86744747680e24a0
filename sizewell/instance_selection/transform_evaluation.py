"""The estimates of a transform job on every eligible instance type, each computed on first use."""

from functools import cached_property

import numpy as np

from sizewell.facts.serving_modes import Mode, limit
from sizewell.facts.transform_jobs import MAX_PAYLOAD_MB
from sizewell.instance_selection.eligibility import Eligible
from sizewell.instance_selection.endpoint_evaluation import EndpointColumns
from sizewell.instance_selection.endpoint_selection import memory_estimates
from sizewell.instance_selection.estimation.coefficients import Array
from sizewell.instance_selection.estimation.memory import NEAR_FULL
from sizewell.instance_selection.estimation.uncertainty import MAX_HIGH_OVER_LOW
from sizewell.instance_selection.filters import Marks
from sizewell.instance_selection.requirements import Objective, TransformRequirements
from sizewell.instance_selection.results import TransformEstimate


class TransformColumns(EndpointColumns):
    """What serves a request is as in an endpoint; a column has one entry per type, or one row per number of instances."""

    def __init__(self, run: TransformRequirements, eligible: Eligible) -> None:
        super().__init__(run.serving, eligible)
        self.run = run
        self.prices = eligible.prices

    @property
    def counts(self) -> Array:
        """The numbers of instances that are tried."""
        return np.arange(1, min(self.run.max_instances, self.run.objects) + 1, dtype=float)

    @cached_property
    def disk_gb(self) -> Array:
        """The disks of the type, or the volume that a job has."""
        return np.array(
            [
                t.local_storage_gb if t.local_storage_nvme else self.run.volume_gb
                for t in self.types.instance_types
            ],
            float,
        )

    @cached_property
    def sent(self) -> Array:
        """Requests that are sent to an instance at a time."""
        if self.run.max_concurrent_transforms is not None:
            return np.full(len(self.types), float(self.run.max_concurrent_transforms))
        most = max(1, MAX_PAYLOAD_MB // self.run.payload_mb)
        return np.asarray(np.clip(np.floor(self.layout.replicas * self._slots), 1.0, most))

    @cached_property
    def request_s(self) -> Array:
        """The seconds of one request, among the others that its replica works on."""
        each = self._each
        if self.types.batches:
            seconds = self.times.serve(each, self.layout.degree, slots=np.maximum(self._slots, 1.0)).request
        elif self.needs.batching is not None:
            # A batch that is not full waits for others.
            wait_s = self.needs.batching.max_delay_ms / 1000
            seconds = self.times.batch(each, self.layout.degree).request
            seconds = seconds + np.where(each < self._slots, wait_s, 0.0)
        else:
            seconds = self.layout.alone.request
        return np.asarray(seconds * self.run.rows_in_turn + self.needs.pipeline_ms / 1000)

    @cached_property
    def requests_per_second(self) -> Array:
        """What one instance answers that always has a next request."""
        busy = np.minimum(self.layout.replicas, self.sent)
        rate = np.asarray(busy * self._each / self.request_s)
        if self.measured is not None:
            rate = rate * self.measured.capacities(rate).factors
        rate = np.minimum(rate, self._network_requests_per_second)
        for i, m in self.types.measurements.items():
            if m.max_requests_per_second is not None:
                rate[i] = m.max_requests_per_second
        return np.asarray(rate)

    @cached_property
    def hours(self) -> Array:
        """From start to end, for each number of instances: the one with the most objects ends last."""
        run, counts = self.run, self.counts[:, None]
        share = np.ceil(run.objects / counts) / run.objects
        requests = run.rows / run.rows_per_request * share
        return np.asarray(self._start_hours + requests / self.requests_per_second / 3600)

    @cached_property
    def in_time(self) -> Marks:
        """Whether each number of instances ends before the deadline, with the margin."""
        return np.asarray(self.hours * (1 + self.needs.margin) <= self.run.deadline_hours * (1 + 1e-9))

    @cached_property
    def fastest(self) -> Array:
        """The place of the number of instances that ends first."""
        return np.asarray(self.hours.argmin(0))

    @cached_property
    def best(self) -> Array:
        """The place of the number of instances that costs least in time, or ends first, as the objective says."""
        fast = self.needs.objective is Objective.LEAST_LATENCY
        value = self.hours if fast else self.hours * self.counts[:, None]
        return np.asarray(np.where(self.in_time, value, np.inf).argmin(0))

    def estimate(self, i: int) -> TransformEstimate:
        """Return what the best number of instances of a type does."""
        run, place = self.run, int(self.best[i])
        hours, count = float(self.hours[place, i]), int(self.counts[place])
        work = hours - self._start_hours
        measured = self.types.measured[i]
        exact = "latency" in measured or "throughput" in measured
        low, high = (float(factor[i]) for factor in self.interval_of("request"))
        (memory,) = memory_estimates(self.memory_in_use_gib[:, [i]])
        near = []
        late = ("deadline",) if not exact and hours + work * (high - 1) > run.deadline_hours else ()
        too_wide = high > MAX_HIGH_OVER_LOW * low
        smallest = np.broadcast_to(self.layout.smallest_memory.total, (len(self.types),))
        if "memory" not in measured and smallest[i] > NEAR_FULL * self.memory.device_bytes[i]:
            near.append("memory")
        usd_per_hour = self.prices[i].usd_per_hour
        share = 1 - self.needs.savings_plan_discount_pct / 100
        return TransformEstimate.trusted(
            {
                "memory": memory,
                "tensor_parallel_degree": int(self.layout.degree[i]),
                "replicas_per_instance": int(self.layout.replicas[i]),
                "instance_count": count,
                "concurrent_requests": int(self.sent[i]),
                "rows_per_request": run.rows_per_request,
                "request_time_ms": float(self.request_s[i]) * 1000,
                "rows_per_second": run.rows / (work * 3600),
                "duration_hours": hours,
                "utilization": hours / run.deadline_hours,
                "usd_per_run": None if usd_per_hour is None else usd_per_hour * share * hours * count,
                "duration_range_hours": None
                if exact
                else (hours + work * (low - 1), hours + work * (high - 1)),
                "near_limits": (*(() if too_wide else late), *near),
                "not_predicted": late if too_wide else (),
                "measured": measured,
                "scaled_by": self.measured.scaled_by[i] if self.measured else (),
            }
        )

    @cached_property
    def _network_requests_per_second(self) -> Array:
        """As many requests as pass the network of the instance at its baseline, where that is known."""
        bits = self.run.row_mb * self.run.rows_per_request * 2**20 * 8
        gbps = np.array([t.network_baseline_gbps or np.inf for t in self.types.instance_types])
        return np.asarray(gbps * 1e9 / bits if bits else np.full(len(self.types), np.inf))

    @cached_property
    def _slots(self) -> Array:
        """Requests that one replica works on at a time."""
        if self.types.batches:
            return self.layout.concurrency
        return np.full(len(self.types), float(self.types.max_batch_size))

    @cached_property
    def _each(self) -> Array:
        """Requests that one replica has at a time."""
        return np.asarray(
            np.clip(self.sent / np.maximum(self.layout.replicas, 1.0), 1.0, np.maximum(self._slots, 1.0))
        )

    @property
    def _start_hours(self) -> float:
        return limit(Mode.BATCH, "start_minutes") / 60
