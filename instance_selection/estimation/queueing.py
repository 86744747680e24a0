"""Waiting: what the 95th percentile is when requests arrive at random."""

import numpy as np

from instance_selection.estimation.coefficients import Array

#: The 95th percentile of the service time itself over its mean: input length, clock and network vary.
SERVICE_TAIL = 1.2
#: No queue is planned fuller than this, however loose the latency bound.
MAX_UTILIZATION = 0.85
#: Up to here a request in twenty or fewer has to wait.
FREE_UTILIZATION = 0.05


def p95_latency_s(service_s: float | Array, utilization: float | Array) -> Array:
    """Return the 95th percentile of service plus waiting for random arrivals at one server.

    Waiting in an M/M/1 queue exceeds t with probability u x exp(-(1-u) t / s) (Kleinrock, Queueing Systems I,
    3.2); with a constant service time the mean wait is half of that (Pollaczek-Khinchine), and so is taken here.
    """
    u = np.maximum(utilization, FREE_UTILIZATION)
    return np.asarray(service_s * (SERVICE_TAIL + 0.5 / (1 - u) * np.log(u / FREE_UTILIZATION)))


_UTILIZATIONS = np.linspace(FREE_UTILIZATION, MAX_UTILIZATION, 4001)
_BOUNDS = p95_latency_s(1.0, _UTILIZATIONS)


def max_utilization(service_s: float | Array, max_p95_s: float | Array) -> Array:
    """Return the highest utilization at which the 95th percentile meets the bound; 0 when none does."""
    found = np.interp(max_p95_s / np.asarray(service_s), _BOUNDS, _UTILIZATIONS)
    return np.asarray(np.where(np.asarray(service_s) * SERVICE_TAIL <= max_p95_s, found, 0.0))
