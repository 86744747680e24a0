"""Queueing: percentiles of latency when requests arrive at random, one by one or to servers that batch them."""

import math
from functools import cache
from statistics import NormalDist

import numpy as np

from sizewell.instance_selection.estimation.coefficients import Array

#: The 95th percentile of the service time itself over its mean: input length, clock and network vary.
SERVICE_TAIL = 1.2
#: No queue is planned fuller than this, however loose the latency bound.
MAX_UTILIZATION = 0.85
#: Greater than any bound in units of the service time, so that tables of several numbers of servers can lie end to end.
_APART = 32.0


@cache
def service_tail(percentile: float = 0.95) -> float:
    """Return a percentile of the service time over its mean, of the lognormal that has ``SERVICE_TAIL`` at the 95th."""
    z95 = NormalDist().inv_cdf(0.95)
    deviation = z95 - math.sqrt(z95**2 - 2 * math.log(SERVICE_TAIL))
    if percentile == 0.95:
        return SERVICE_TAIL
    return float(lognormal_tail(percentile, deviation))


def lognormal_tail(percentile: float, log_sd: float | Array) -> Array:
    """Return a percentile of a lognormal over its mean: exp(z s - s^2 / 2), z being that of the normal distribution."""
    return np.asarray(np.exp(NormalDist().inv_cdf(percentile) * log_sd - np.square(log_sd) / 2))


def waiting_s(
    service_s: float | Array,
    utilization: float | Array,
    servers: float | Array = 1,
    percentile: float = 0.95,
) -> Array:
    """Return a percentile of the waiting time for random arrivals at replicas that share one queue.

    Waiting in an M/M/c queue exceeds t with probability C x exp(-c (1-u) t / s) (Kleinrock, Queueing Systems I,
    3.5), where C, the share that waits, is close to u^(sqrt(2 (c+1)) - 1) (Sakasegawa 1977, "An approximation formula
    Lq = a rho^b / (1-rho)"; exact for c = 1,
    elsewhere up to a ninth of the 95th percentile too long). With a constant service time the mean wait is about half of
    that (Pollaczek-Khinchine), and so is taken here.
    """
    late = 1 - percentile
    u = np.maximum(utilization, late)
    waiting = np.maximum(u ** (np.sqrt(2.0 * (np.asarray(servers) + 1.0)) - 1.0), late)
    return np.asarray(service_s * (0.5 / (servers * (1 - u)) * np.log(waiting / late)))


def latency_s(
    service_s: float | Array,
    utilization: float | Array,
    servers: float | Array = 1,
    percentile: float = 0.95,
) -> Array:
    """Return a percentile of service plus waiting, each at its percentile."""
    waiting = waiting_s(service_s, utilization, servers, percentile)
    return np.asarray(service_s * service_tail(percentile) + waiting)


@cache
def _utilizations(percentile: float) -> Array:
    # Below the first one, no request up to the percentile waits at one server.
    return np.linspace(1 - percentile, MAX_UTILIZATION, 4001)


@cache
def _bounds(servers: tuple[float, ...], percentile: float) -> tuple[Array, Array]:
    # The percentile in service times at each utilization, one number of servers after the other, and the last each.
    bounds = latency_s(1.0, _utilizations(percentile), np.array(servers)[:, None], percentile)
    return (bounds + _APART * np.arange(len(servers))[:, None]).ravel(), bounds[:, -1]


def max_utilization(
    service_s: float | Array, max_s: float | Array, servers: float | Array = 1, percentile: float = 0.95
) -> Array:
    """Return the highest utilization at which the percentile of latency meets the bound; 0 when none does."""
    service, bound, count = np.broadcast_arrays(service_s, max_s, servers)
    distinct, place = np.unique(count, return_inverse=True)
    place = place.reshape(count.shape)
    tail, utilizations = service_tail(percentile), _utilizations(percentile)
    keys, last = _bounds(tuple(distinct.tolist()), percentile)
    asked = np.clip(bound / service, tail, last[place]) + _APART * place
    # Several servers are as good as idle up to some utilization: of equal bounds the last one counts.
    at = np.searchsorted(keys, asked, side="right") - 1
    after = np.minimum(at + 1, len(keys) - 1)
    first = place * len(utilizations)
    step = np.minimum(after - first, len(utilizations) - 1) - (at - first)
    rise = np.where(step > 0, keys[after] - keys[at], 1.0)
    share = np.where(step > 0, (asked - keys[at]) / rise, 0.0)
    found = utilizations[at - first] + share * (utilizations[1] - utilizations[0])
    return np.asarray(np.where(service * tail <= bound, found, 0.0))


def batched_latency_s(
    load: Array,
    sizes: Array,
    seconds: Array,
    part_seconds: Array,
    delay_s: float,
    servers: Array,
    percentile: float = 0.95,
) -> Array:
    """Return a percentile of latency at a load of requests per second on ``servers`` that batch; infinite where too busy.

    ``sizes`` are the batches that are tried, ascending, along the axis before the last; ``seconds`` is what each takes,
    ``part_seconds`` what of it the latency ends with: all of it, or what comes before the first token.

    The server adapts its batches to what waits, so it is as good as with the best fixed size of at least what gathers
    in the delay (Poisson, at the same percentile). At a fixed size,
    * the delay is waited in full: a request that comes alone does;
    * what is still missing then gathers while the batch before is computed, which bounds it;
    * batches are the customers of the queue. They come more regularly than requests: the squared variation of a sum of b is 1/b
      of that of one, and so is the wait (Kingman 1961, "The single server queue in heavy traffic").

    A simulation of such a server over 960 cases (batches of 2 to 32, delays of 0 to 50 ms, 1 to 8 servers) had a 95th
    percentile above this in 3 of 100, by 29 % at most; in the middle it was a third lower, because the delay is rarely waited in
    full under load.
    """
    sizes = sizes[:, None]
    gathered = load * delay_s
    least = np.minimum(1 + gathered + NormalDist().inv_cdf(percentile) * np.sqrt(gathered), sizes[-1])
    busy = load * seconds / (sizes * servers)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        missing = np.where(sizes > 1, (sizes - 1) * servers / load - delay_s, 0.0)
    waiting = np.clip(missing, 0.0, seconds)
    waiting = waiting + waiting_s(seconds, np.minimum(busy, MAX_UTILIZATION), servers, percentile) / sizes
    latency = delay_s + waiting + service_tail(percentile) * part_seconds
    allowed = (sizes >= least * (1 - 1e-9)) & (busy <= MAX_UTILIZATION * (1 + 1e-9))
    return np.asarray(np.where(allowed, latency, np.inf).min(-2))
