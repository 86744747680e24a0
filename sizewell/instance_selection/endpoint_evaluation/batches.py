"""What a replica that serves several requests in one pass carries, and how long they take then."""

from functools import cached_property

import numpy as np

from sizewell.instance_selection.endpoint_evaluation.times import EndpointTimes
from sizewell.instance_selection.endpoint_evaluation.types import EndpointTypes
from sizewell.instance_selection.estimation.batch_queue import batched_p95_s
from sizewell.instance_selection.estimation.coefficients import Array
from sizewell.instance_selection.estimation.queueing import MAX_UTILIZATION, SERVICE_TAIL
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
        alone_s: Array,
    ) -> None:
        """``alone_s`` is a request alone, as it was measured where it was."""
        self._types = types
        self._replicas = replicas
        self._largest = float(batching.max_batch_size)
        self._delay_s = batching.max_delay_ms / 1000
        self._sizes = np.array([*(s for s in _SIZES if s < self._largest), self._largest], float)
        seconds = times.batch_s(self._sizes[:, None], degree)
        self._seconds = seconds * (alone_s / seconds[0])

    @cached_property
    def requests_per_second(self) -> Array:
        """Requests per second of one instance at which the 95th percentile meets the bound just so."""
        if self._types.by_users:
            return self._of_users
        bound = self._types.max_p95_s
        within = np.cumprod(self._p95_s <= bound, axis=0).sum(0)
        last = np.maximum(within - 1, 0)
        after = np.minimum(last + 1, len(_SHARES) - 1)
        here, there = (np.take_along_axis(self._p95_s, at[None, :], axis=0)[0] for at in (last, after))
        with np.errstate(divide="ignore", invalid="ignore"):
            part = np.where(np.isfinite(there) & (there > here), (bound - here) / (there - here), 0.0)
        share = _SHARES[last] + np.clip(part, 0.0, 1.0) * (_SHARES[after] - _SHARES[last])
        return np.asarray(np.where(within > 0, share * self._most, 0.0))

    @cached_property
    def users(self) -> Array:
        """How many users, who each wait for their answer, one replica serves within the bound; 0 where not even one."""
        time = (self._types.max_p95_s - self._delay_s) / SERVICE_TAIL
        passes = np.floor(time / self._seconds[-1])
        some = np.where(self._seconds <= time, self._sizes[:, None], 0.0).max(0)
        return np.asarray(np.where(passes >= 1, passes * self._largest, some))

    def p95_s(self, load: Array) -> Array:
        """Return the 95th percentile at a load of an instance in requests per second."""
        place = np.clip(load / self._most, 0.0, 1.0) * (len(_SHARES) - 1)
        low = np.minimum(np.floor(place).astype(int), len(_SHARES) - 2)
        here, there = (np.take_along_axis(self._p95_s, at[None, :], axis=0)[0] for at in (low, low + 1))
        return np.asarray(here + (place - low) * (there - here))

    def p95_of_users_s(self, users: Array) -> Array:
        """Return the 95th percentile while a replica has so many users: they take turns, a batch at a time."""
        slowest = np.where(
            users >= self._largest,
            np.ceil(users / self._largest) * self._seconds[-1],
            self._batch_s(np.minimum(users, self._largest)),
        )
        return np.asarray(self._delay_s + slowest * SERVICE_TAIL)

    @cached_property
    def _of_users(self) -> Array:
        batch = np.clip(self.users, 1.0, self._largest)
        # As many users as a batch holds fill it at once.
        wait = np.where(batch < self._largest, self._delay_s, 0.0)
        return np.asarray(self._replicas * batch / (self._batch_s(batch) + wait))

    @cached_property
    def _most(self) -> Array:
        """Requests per second of an instance whose batches are full, at the highest utilization that is planned."""
        return np.asarray(MAX_UTILIZATION * self._replicas * self._largest / self._seconds[-1])

    @cached_property
    def _p95_s(self) -> Array:
        """The 95th percentile at each share of the largest load; no load makes the one below it slower."""
        p95 = batched_p95_s(
            _SHARES[:, None, None] * self._most, self._sizes, self._seconds, self._delay_s, self._replicas
        )
        return np.asarray(np.maximum.accumulate(p95, axis=0))

    def _batch_s(self, size: Array) -> Array:
        """Return the seconds of a batch: those of the next size that was tried."""
        at = np.searchsorted(self._sizes, size)
        return np.asarray(self._seconds[np.minimum(at, len(self._sizes) - 1), np.arange(size.shape[-1])])
