"""What a replica that serves several requests in one pass carries, and how long they take then."""

from functools import cached_property

import numpy as np

from sizewell.instance_selection.endpoint_evaluation.times import EndpointTimes
from sizewell.instance_selection.endpoint_evaluation.types import EndpointTypes
from sizewell.instance_selection.estimation.coefficients import Array
from sizewell.instance_selection.estimation.queueing import MAX_UTILIZATION, batched_latency_s, service_tail
from sizewell.instance_selection.latency_bounds import LatencyBound
from sizewell.instance_selection.requirements import Batching

#: Batches that are tried, beside the largest.
_SIZES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192)
#: Loads at which the latency is computed, as shares of the largest that a replica carries.
_SHARES = np.linspace(0.0, 1.0, 33)


class DynamicBatches:
    """The batches of each type."""

    def __init__(
        self,
        batching: Batching,
        types: EndpointTypes,
        times: EndpointTimes,
        *,
        degree: Array,
        replicas: Array,
    ) -> None:
        self._types = types
        self._replicas = replicas
        self._largest = float(batching.max_batch_size)
        self._delay_s = batching.max_delay_ms / 1000
        self._sizes = np.array([*(s for s in _SIZES if s < self._largest), self._largest], float)
        self._served = times.batch(self._sizes[:, None], degree)
        self._latencies: dict[LatencyBound, Array] = {}

    @cached_property
    def requests_per_second(self) -> Array:
        """Requests per second of one instance at which the first bound of latency is met just so."""
        if not self._types.by_users:
            return np.asarray(self._most * self._shares.min(0))
        batch = np.clip(self.users, 1.0, self._largest)
        # As many users as a batch holds fill it at once.
        wait = np.where(batch < self._largest, self._delay_s, 0.0)
        return np.asarray(self._replicas * batch / (self._of_batch(self._served.request, batch) + wait))

    @cached_property
    def users(self) -> Array:
        """How many users, who each wait for their answer, one replica serves within all bounds; 0 where not even one."""
        return np.asarray(np.min([self._users_within(*bound) for bound in self._types.bounds], axis=0))

    @property
    def room(self) -> Array:
        """For each stated bound what one more request leaves of it, below 1 where it breaks it."""
        if not self._types.by_users:
            return self._shares
        return np.array(
            [max_s / self.latency_of_users_s(bound, self.users + 1) for bound, max_s in self._types.bounds]
        )

    def latency_s(self, bound: LatencyBound, load: Array) -> Array:
        """Return what a bound is about, at a load of an instance in requests per second."""
        latency = self._latency_s(bound)
        place = np.clip(load / self._most, 0.0, 1.0) * (len(_SHARES) - 1)
        low = np.minimum(np.floor(place).astype(int), len(_SHARES) - 2)
        here, there = (np.take_along_axis(latency, at[None, :], axis=0)[0] for at in (low, low + 1))
        return np.asarray(here + (place - low) * (there - here))

    def latency_of_users_s(self, bound: LatencyBound, users: Array) -> Array:
        """Return the latency that a bound limits while a replica has this many users, who take turns, a batch at a time."""
        own = self._of_batch(getattr(self._served, bound.part), np.minimum(users, self._largest))
        if bound.part != "step":
            before = np.maximum(np.ceil(users / self._largest) - 1.0, 0.0)
            own = own + before * self._served.request[-1]
        return np.asarray(self._types.delay_of_s(bound) + own * service_tail(bound.percentile))

    @cached_property
    def _most(self) -> Array:
        """Requests per second of an instance whose batches are full, at the highest utilization that is planned."""
        return np.asarray(MAX_UTILIZATION * self._replicas * self._largest / self._served.request[-1])

    @cached_property
    def _shares(self) -> Array:
        """For each stated bound, the share of the largest load at which answers just meet it."""
        return np.array([self._share_within(*bound) for bound in self._types.bounds])

    def _share_within(self, bound: LatencyBound, max_s: Array) -> Array:
        latency = self._latency_s(bound)
        within = np.cumprod(latency <= max_s, axis=0).sum(0)
        last = np.maximum(within - 1, 0)
        after = np.minimum(last + 1, len(_SHARES) - 1)
        here, there = (np.take_along_axis(latency, at[None, :], axis=0)[0] for at in (last, after))
        with np.errstate(divide="ignore", invalid="ignore"):
            part = np.where(np.isfinite(there) & (there > here), (max_s - here) / (there - here), 0.0)
        share = _SHARES[last] + np.clip(part, 0.0, 1.0) * (_SHARES[after] - _SHARES[last])
        return np.asarray(np.where(within > 0, share, 0.0))

    def _users_within(self, bound: LatencyBound, max_s: Array) -> Array:
        own = getattr(self._served, bound.part)
        time = (max_s - self._types.delay_of_s(bound)) / service_tail(bound.percentile)
        some = np.where(own <= time, self._sizes[:, None], 0.0).max(0)
        passes = (
            np.inf if bound.part == "step" else 1.0 + np.floor((time - own[-1]) / self._served.request[-1])
        )
        return np.asarray(np.where(own[-1] <= time, passes * self._largest, some))

    def _latency_s(self, bound: LatencyBound) -> Array:
        """Return what a bound is about at each share of the largest load; no load makes the one below it slower."""
        if bound not in self._latencies:
            own = getattr(self._served, bound.part)
            if bound.part == "step":
                # A batch may be full at any load.
                latency = np.broadcast_to(
                    own[-1] * service_tail(bound.percentile), (len(_SHARES), len(self._types))
                )
            else:
                latency = batched_latency_s(
                    _SHARES[:, None, None] * self._most,
                    self._sizes,
                    self._served.request,
                    own,
                    self._delay_s,
                    self._replicas,
                    bound.percentile,
                )
            self._latencies[bound] = np.maximum.accumulate(latency, axis=0)
        return self._latencies[bound]

    def _of_batch(self, values: Array, size: Array) -> Array:
        """Return the value of a batch: that of the next size that was tried."""
        at = np.minimum(np.searchsorted(self._sizes, size), len(self._sizes) - 1)
        return np.asarray(
            np.broadcast_to(values, (len(self._sizes), len(self._types)))[at, np.arange(len(self._types))]
        )
