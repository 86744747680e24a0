"""How many requests an instance carries, how many instances the load needs, and how long answers take then."""

from functools import cached_property

import numpy as np

from sizewell.instance_selection.endpoint_evaluation.layout import Layout, tried_sequences
from sizewell.instance_selection.endpoint_evaluation.loaded_models import LoadedModels
from sizewell.instance_selection.endpoint_evaluation.measured import Measured
from sizewell.instance_selection.endpoint_evaluation.times import EndpointTimes
from sizewell.instance_selection.endpoint_evaluation.types import ROUNDING, EndpointTypes
from sizewell.instance_selection.estimation.coefficients import Array
from sizewell.instance_selection.estimation.generation import Served
from sizewell.instance_selection.estimation.queueing import (
    MAX_UTILIZATION,
    max_utilization,
    service_tail,
    waiting_s,
)
from sizewell.instance_selection.filters import Marks
from sizewell.instance_selection.latency_bounds import (
    BOUNDS,
    FIRST_TOKEN,
    INTER_TOKEN,
    P95,
    P99,
    LatencyBound,
)
from sizewell.instance_selection.requirements import Queue


class EndpointCapacity:
    """The load that a layout carries within the bounds of latency."""

    def __init__(
        self,
        types: EndpointTypes,
        times: EndpointTimes,
        layout: Layout,
        measured: Measured | None = None,
        loaded: LoadedModels | None = None,
    ) -> None:
        self._types = types
        self._times = times
        self._layout = layout
        self._measured = measured
        self._loaded = loaded

    @cached_property
    def requests_per_second(self) -> Array:
        """Requests per second of one instance at which the first bound of latency is met just so; loads of models included."""
        if self._loaded is None:
            return self._warm_requests_per_second
        work = self._loaded.work(self.instances_at_peak)
        return self._warm_requests_per_second * self._loaded.one_worker_share / work

    @cached_property
    def _warm_requests_per_second(self) -> Array:
        types, layout = self._types, self._layout
        if types.batches:
            served = self._times.serve(np.maximum(layout.concurrency, 1.0), layout.degree)
            capacity = layout.replicas * layout.concurrency / served.request
        elif layout.batches is not None:
            capacity = np.array(layout.batches.requests_per_second)
        elif types.by_users:
            capacity = layout.replicas / layout.alone.request
        else:
            capacity = layout.replicas * self._max_utilization.min(0) / layout.alone.request
        if self._measured is not None:
            capacity = capacity * self._measured.capacities(capacity).factors
        for i, m in types.measurements.items():
            if m.max_requests_per_second is not None:
                capacity[i] = m.max_requests_per_second
        return np.asarray(capacity)

    @cached_property
    def limiting_bound(self) -> tuple[LatencyBound | None, ...]:
        """The bound of latency that one more request in progress would break; None where something else ends it."""
        types, layout = self._types, self._layout
        if layout.batches is not None:
            room = list(layout.batches.room)
        elif types.by_users or types.batches:
            one_more = layout.concurrency + 1
            served = self._times.serve(one_more, layout.degree) if types.batches else self._sharing(one_more)
            room = [
                max_s / (getattr(served, bound.part) * service_tail(bound.percentile))
                for bound, max_s in types.bounds
            ]
        else:
            room = list(self._max_utilization / MAX_UTILIZATION)
        least = np.argmin(room, axis=0)
        return tuple(types.bounds[b][0] if room[b][i] < 1 else None for i, b in enumerate(least.tolist()))

    @cached_property
    def instances_at_peak(self) -> Array:
        """Instances that carry the peak load."""
        return np.maximum(self._instances(*self._peak_load), self._types.needs.min_instances)

    @property
    def _peak_load(self) -> tuple[float | None, float | None]:
        """Users, or requests per second."""
        return self._types.needs.peak_concurrent_users, self._types.needs.peak_requests_per_second

    @cached_property
    def instances_for_models(self) -> Array:
        """The least instances that keep enough models in memory for the bounds of latency, however few requests there are."""
        return self._instances(*(None if load is None else 0.0 for load in self._peak_load))

    @cached_property
    def instances_at_average(self) -> Array:
        """Instances that run at average load; a burstable type is not scaled, so all run all the time."""
        least = np.maximum(self._average_load, self._types.needs.min_instances)
        return np.where(self._types.burstable, self.instances_at_peak, least)

    @cached_property
    def instances_paid(self) -> Array:
        """Instances that are paid for: those at average load, by the week where the clock changes their bounds.

        Behind a queue, those that are awake, on the average of a month.
        """
        needs = self._types.needs
        load = self._average_load if needs.queue is None else self._awake(needs.queue)
        least = np.zeros(len(self._types)) if needs.queue is None else 1.0 - self.sleeps
        weeks = needs.bounds_of_week
        if not weeks:
            return (
                self.instances_at_average
                if needs.queue is None
                else np.maximum(load, np.maximum(needs.min_instances, least))
            )
        hours = sum(week.hours_per_week for week in weeks)
        return sum(
            (
                np.clip(load, np.maximum(week.min_instances, least), week.max_instances)
                * (week.hours_per_week / hours)
                for week in weeks
            ),
            start=np.zeros(len(self._types)),
        )

    @cached_property
    def sleeps(self) -> Array:
        """Whether a fleet without work may have no instance: an instance that starts must answer in time."""
        queue = self._types.needs.queue
        if queue is None:
            return np.zeros(len(self._types), bool)
        return np.array([queue.leaves_time_to_wake(s) for s in self._layout.alone.request.tolist()])

    def _awake(self, queue: Queue) -> Array:
        """Return how many instances are awake on average: at most one wake for each request, at most all active hours."""
        needs = self._types.needs
        active = queue.active_hours_per_day / 24
        requests_per_second = needs.average_requests_per_second or needs.peak_requests_per_second or 0.0
        waking = min(active, requests_per_second * (queue.wake_s + queue.idle_s))
        working = requests_per_second / np.maximum(self.requests_per_second * (1 - needs.headroom), 1e-12)
        return np.maximum(waking, working)

    @cached_property
    def utilization_at_peak(self) -> Array:
        """The share of capacity in use at peak load."""
        needs, layout = self._types.needs, self._layout
        if self._types.by_users:
            offered = layout.replicas * np.maximum(layout.concurrency, 1)
            return (needs.peak_concurrent_users or 0.0) / (self.instances_at_peak * offered)
        offered = np.maximum(self.requests_per_second, 1e-12)
        return (needs.peak_requests_per_second or 0.0) / self.instances_at_peak / offered

    @cached_property
    def latency_at_peak_s(self) -> dict[LatencyBound, Array]:
        """What each bound of latency is about at peak load, stated or not; where it was measured, by that."""
        return self._latency_s(self.instances_at_peak, *self._peak_load)

    def _latency_s(
        self, instances: Array, users: float | None, requests_per_second: float | None
    ) -> dict[LatencyBound, Array]:
        """Return the latency that each bound limits when this many instances share a load."""
        types, layout = self._types, self._layout
        replicas = layout.replicas * instances
        load = (requests_per_second or 0.0) / replicas
        each = np.ceil((users or 0.0) / replicas)
        if types.by_users:
            served = self._serve(each) if types.batches else self._sharing(each)
        else:
            served = self._serve_at(load) if types.batches else layout.alone
        found = {}
        for bound in BOUNDS:
            if layout.batches is not None:
                found[bound] = (
                    layout.batches.latency_of_users_s(bound, each)
                    if types.by_users
                    else layout.batches.latency_s(bound, load * layout.replicas)
                )
                continue
            seconds = getattr(served, bound.part) * service_tail(bound.percentile)
            if not types.by_users and not types.batches and bound.part != "step":
                busy = np.minimum(load * layout.alone.request, 0.999)
                seconds = seconds + waiting_s(layout.alone.request, busy, layout.replicas, bound.percentile)
            found[bound] = seconds
        if types.needs.pipeline_ms:
            found = {bound: seconds + types.pipeline_s(bound) for bound, seconds in found.items()}
        for i, m in types.measurements.items():
            if m.p95_latency_ms is not None:
                ratio = m.p95_latency_ms / 1000 / found[P95][i]
                for seconds in found.values():
                    seconds[i] *= ratio
                found[P95][i] = m.p95_latency_ms / 1000
            for bound in (FIRST_TOKEN, INTER_TOKEN):
                if (measured_ms := getattr(m, bound.figure)) is not None:
                    found[bound][i] = measured_ms / 1000
        if self._loaded is not None:
            warm = found[P95], found[P99]
            for bound in (P95, P99):
                found[bound] = self._loaded.percentile_s(bound.percentile, *warm, instances)
        return found

    @cached_property
    def _max_utilization(self) -> Array:
        """The share of time that replicas which answer one after the other may be busy, for each stated bound.

        The replicas of an instance take their requests from one queue; instances have one each.
        """
        service, found = self._layout.alone.request, []
        for bound, max_s in self._types.bounds:
            if bound.part == "step":
                found.append(np.full(len(self._types), MAX_UTILIZATION))
                continue
            # What of a request is not bounded must not count.
            rest = (service - getattr(self._layout.alone, bound.part)) * service_tail(bound.percentile)
            found.append(max_utilization(service, max_s + rest, self._layout.replicas, bound.percentile))
        return np.array(found)

    @cached_property
    def _average_load(self) -> Array:
        needs = self._types.needs
        return self._instances(
            needs.average_concurrent_users or needs.peak_concurrent_users,
            needs.average_requests_per_second or needs.peak_requests_per_second,
        )

    def _instances(self, users: float | None, requests_per_second: float | None) -> Array:
        if users is not None:
            load, capacity = users, self._layout.replicas * self._layout.concurrency
        else:
            load, capacity = requests_per_second or 0.0, self._warm_requests_per_second
        if self._loaded is not None:
            busy = load / np.maximum(capacity * (1 - self._types.needs.headroom), 1e-12)
            return self._instances_with_models(self._loaded, busy, users, requests_per_second)
        # Rounding must not add an instance: 3 / (1 - 0.25) must not become 5 instances of 4.
        count = np.ceil(load / np.maximum(capacity * (1 - self._types.needs.headroom), 1e-12) - ROUNDING)
        return np.maximum(1.0, count)

    def _instances_with_models(
        self, loaded: LoadedModels, busy: Array, users: float | None, requests_per_second: float | None
    ) -> Array:
        """Return the least instances that keep the bounds of latency and get through ``busy`` instances' worth of answers.

        More instances hold more models, and so load fewer: what so many do, more do as well. Where not even the most that are
        allowed keep the bounds, one more is returned.
        """
        most = self._types.needs.max_instances

        def carries(instances: Array) -> Marks:
            work = busy * loaded.work(instances) / loaded.one_worker_share
            latency = self._latency_s(instances, users, requests_per_second)
            kept = [latency[bound] <= max_s for bound, max_s in self._types.bounds if bound in (P95, P99)]
            return np.asarray(np.all([work <= instances * (1 + ROUNDING), *kept], axis=0))

        low, high = np.ones(len(self._types)), np.full(len(self._types), float(most))
        short = ~carries(high)
        while (low < high).any():
            middle = np.floor((low + high) / 2)
            enough = carries(middle)
            low, high = np.where(enough, low, np.minimum(middle + 1, high)), np.where(enough, middle, high)
        # What the load alone takes says by how much they are too few.
        needed = np.ceil(busy * loaded.work(high) / loaded.one_worker_share - ROUNDING)
        return np.where(short, np.maximum(most + 1.0, needed), low)

    def _sharing(self, users: Array) -> Served:
        """Return the times of the last of several users for whom a replica answers one after the other."""
        alone = self._layout.alone
        others = alone.request * (users - 1)
        return Served(alone.first_token + others, alone.step, alone.request + others)

    def _serve_at(self, load: Array) -> Served:
        """Return the times at a load per replica: with as many others as the load keeps in progress."""
        tried, rows = tried_sequences(self._types), np.arange(len(self._types))
        request = self._serve(tried[:, None]).request
        carried = tried[:, None] / request >= load
        after = np.where(carried.any(0), carried.argmax(0), len(tried) - 1)
        before = np.maximum(after - 1, 0)
        n, seconds, later = tried[before], request[before, rows], request[after, rows]
        # n + s x more sequences are in progress where they take (n + s x more) / load seconds.
        more = tried[after] - n
        slower = load * (later - seconds)
        step = np.divide(load * seconds - n, more - slower, out=np.ones_like(load), where=more > slower)
        in_progress = n + np.clip(step, 0.0, 1.0) * more
        # What the instance carries within its bounds, it carries with no more than that.
        return self._serve(np.minimum(in_progress, np.maximum(self._layout.concurrency, 1.0)))

    def _serve(self, sequences: Array) -> Served:
        """Return the times of a request among others, on graphs that are compiled for as many as a replica takes."""
        return self._times.serve(sequences, self._layout.degree, slots=self._layout.concurrency)
