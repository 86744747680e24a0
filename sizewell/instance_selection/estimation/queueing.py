"""Queueing: the 95th percentile of latency when requests arrive at random."""

from functools import cache

import numpy as np

from sizewell.instance_selection.estimation.coefficients import Array

#: The 95th percentile of the service time itself over its mean: input length, clock and network vary.
SERVICE_TAIL = 1.2
#: No queue is planned fuller than this, however loose the latency bound.
MAX_UTILIZATION = 0.85
#: One server may be so busy, and a request in twenty has to wait.
FREE_UTILIZATION = 0.05
#: Greater than any bound in units of the service time, so that tables of several numbers of servers can lie end to end.
_APART = 16.0


def p95_latency_s(service_s: float | Array, utilization: float | Array, servers: float | Array = 1) -> Array:
    """Return the 95th percentile of service plus waiting for random arrivals at replicas that share one queue.

    Waiting in an M/M/c queue exceeds t with probability C x exp(-c (1-u) t / s) (Kleinrock, Queueing Systems I,
    3.5), where C, the share that waits, is close to u^(sqrt(2 (c+1)) - 1) (Sakasegawa 1977, "An approximation formula
    Lq = a rho^b / (1-rho)"; exact for c = 1,
    elsewhere up to a ninth of the percentile too long). With a constant service time the mean wait is about half of that
    (Pollaczek-Khinchine), and so is taken here.
    """
    u = np.maximum(utilization, FREE_UTILIZATION)
    waiting = np.maximum(u ** (np.sqrt(2.0 * (np.asarray(servers) + 1.0)) - 1.0), 0.05)
    return np.asarray(service_s * (SERVICE_TAIL + 0.5 / (servers * (1 - u)) * np.log(waiting / 0.05)))


_UTILIZATIONS = np.linspace(FREE_UTILIZATION, MAX_UTILIZATION, 4001)


@cache
def _bounds(servers: tuple[float, ...]) -> tuple[Array, Array]:
    # The 95th percentile in service times at each utilization, one number of servers after the other, and the last each.
    bounds = p95_latency_s(1.0, _UTILIZATIONS, np.array(servers)[:, None])
    return (bounds + _APART * np.arange(len(servers))[:, None]).ravel(), bounds[:, -1]


def max_utilization(service_s: float | Array, max_p95_s: float | Array, servers: float | Array = 1) -> Array:
    """Return the highest utilization at which the 95th percentile meets the bound; 0 when none does."""
    service, bound, count = np.broadcast_arrays(service_s, max_p95_s, servers)
    distinct, place = np.unique(count, return_inverse=True)
    place = place.reshape(count.shape)
    keys, last = _bounds(tuple(distinct.tolist()))
    asked = np.clip(bound / service, SERVICE_TAIL, last[place]) + _APART * place
    # Several servers are as good as idle up to some utilization: of equal bounds the last one counts.
    at = np.searchsorted(keys, asked, side="right") - 1
    after = np.minimum(at + 1, len(keys) - 1)
    first = place * len(_UTILIZATIONS)
    step = np.minimum(after - first, len(_UTILIZATIONS) - 1) - (at - first)
    rise = np.where(step > 0, keys[after] - keys[at], 1.0)
    share = np.where(step > 0, (asked - keys[at]) / rise, 0.0)
    low = _UTILIZATIONS[at - first]
    found = low + share * (_UTILIZATIONS[1] - _UTILIZATIONS[0])
    return np.asarray(np.where(service * SERVICE_TAIL <= bound, found, 0.0))
