"""How many requests an instance carries, how many instances the load needs, and how long answers take then."""

from functools import cached_property

import numpy as np

from sizewell.instance_selection.endpoint_evaluation.layout import Layout, tried_sequences
from sizewell.instance_selection.endpoint_evaluation.times import EndpointTimes
from sizewell.instance_selection.endpoint_evaluation.types import ROUNDING, EndpointTypes
from sizewell.instance_selection.estimation.coefficients import Array
from sizewell.instance_selection.estimation.queueing import SERVICE_TAIL, max_utilization, p95_latency_s


class EndpointCapacity:
    """The load that a layout carries within the latency bound."""

    def __init__(self, types: EndpointTypes, times: EndpointTimes, layout: Layout) -> None:
        self._types = types
        self._times = times
        self._layout = layout

    @cached_property
    def requests_per_second(self) -> Array:
        """Requests per second of one instance at which the 95th percentile meets the bound just so."""
        types, layout = self._types, self._layout
        if types.batches:
            served = self._times.serve(np.maximum(layout.concurrency, 1.0), layout.degree)
            capacity = layout.replicas * layout.concurrency / served.request
        elif layout.batches is not None:
            capacity = np.array(layout.batches.requests_per_second)
        elif types.by_users:
            capacity = layout.replicas / layout.service_s
        else:
            # The replicas of an instance take their requests from one queue; instances have one each.
            busy = max_utilization(layout.service_s, types.max_p95_s, layout.replicas)
            capacity = layout.replicas * busy / layout.service_s
        for i, m in types.measurements.items():
            if m.max_requests_per_second is not None:
                capacity[i] = m.max_requests_per_second
        return np.asarray(capacity)

    @cached_property
    def instances_at_peak(self) -> Array:
        """Instances that carry the peak load."""
        needs = self._types.needs
        count = self._instances(needs.peak_concurrent_users, needs.peak_requests_per_second)
        return np.maximum(count, needs.min_instances)

    @cached_property
    def instances_at_average(self) -> Array:
        """Instances that run at average load; a burstable type is not scaled, so all run all the time."""
        least = np.maximum(self._average_load, self._types.needs.min_instances)
        return np.where(self._types.burstable, self.instances_at_peak, least)

    @cached_property
    def instances_paid(self) -> Array:
        """Instances that are paid for: those at average load, by the week where the clock changes their bounds."""
        weeks = self._types.needs.bounds_of_week
        if not weeks:
            return self.instances_at_average
        hours = sum(week.hours_per_week for week in weeks)
        return sum(
            (
                np.clip(self._average_load, week.min_instances, week.max_instances)
                * (week.hours_per_week / hours)
                for week in weeks
            ),
            start=np.zeros(len(self._types)),
        )

    @cached_property
    def at_peak(self) -> tuple[Array, Array]:
        """The 95th percentile in seconds and the share of capacity in use, at peak load."""
        types, layout = self._types, self._layout
        needs, replicas = types.needs, layout.replicas * self.instances_at_peak
        if types.by_users:
            users = needs.peak_concurrent_users or 0.0
            each = np.ceil(users / replicas)
            if layout.batches is not None:
                p95 = layout.batches.p95_of_users_s(each)
            elif types.batches:
                p95 = self._times.serve(each, layout.degree).request * SERVICE_TAIL
            else:
                p95 = layout.service_s * each * SERVICE_TAIL
            utilization = users / (replicas * np.maximum(layout.concurrency, 1))
        else:
            load = (needs.peak_requests_per_second or 0.0) / replicas
            utilization = load * layout.replicas / np.maximum(self.requests_per_second, 1e-12)
            if types.batches:
                p95 = self._request_at(load) * SERVICE_TAIL
            elif layout.batches is not None:
                p95 = layout.batches.p95_s(load * layout.replicas)
            else:
                busy = np.minimum(load * layout.service_s, 0.999)
                p95 = p95_latency_s(layout.service_s, busy, layout.replicas)
        for i, m in types.measurements.items():
            if m.p95_latency_ms is not None:
                p95[i] = m.p95_latency_ms / 1000
        return p95, utilization

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
            load, capacity = requests_per_second or 0.0, self.requests_per_second
        # A hair below the next whole number is that number: 3 / (1 - 0.25) must not become 5 instances of 4.
        count = np.ceil(load / np.maximum(capacity * (1 - self._types.needs.headroom), 1e-12) - ROUNDING)
        return np.maximum(1.0, count)

    def _request_at(self, load: Array) -> Array:
        """Return the seconds of a request at a load per replica: with as many others as the load keeps in progress."""
        sequences = tried_sequences(self._types)[:, None]
        request = self._times.serve(sequences, self._layout.degree).request
        carried = sequences / request >= load
        first = np.where(carried.any(0), carried.argmax(0), len(sequences) - 1)
        return np.asarray(request[first, np.arange(len(self._types))])
