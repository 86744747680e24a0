"""Waiting: what the 95th percentile is when requests arrive at random."""

import math

#: The 95th percentile of the service time itself over its mean: input length, clock and network vary.
SERVICE_TAIL = 1.2
#: No queue is planned fuller than this, however loose the latency bound.
MAX_UTILIZATION = 0.85


def p95_latency_s(service_s: float, utilization: float) -> float:
    """Return the 95th percentile of service plus waiting for random arrivals at one server.

    Waiting in an M/M/1 queue exceeds t with probability u x exp(-(1-u) t / s) (Kleinrock, Queueing Systems I,
    3.2); with a constant service time the mean wait is half of that (Pollaczek-Khinchine), and so is taken here.
    """
    tail_s = service_s * SERVICE_TAIL
    if utilization <= 0.05:
        return tail_s
    return tail_s + 0.5 * service_s / (1 - utilization) * math.log(utilization / 0.05)


def max_utilization(service_s: float, max_p95_s: float) -> float:
    """Return the highest utilization at which the 95th percentile meets the bound; 0 when none does."""
    if p95_latency_s(service_s, 0.0) > max_p95_s:
        return 0.0
    low, high = 0.0, MAX_UTILIZATION
    if p95_latency_s(service_s, high) <= max_p95_s:
        return high
    for _ in range(40):
        middle = (low + high) / 2
        if p95_latency_s(service_s, middle) <= max_p95_s:
            low = middle
        else:
            high = middle
    return low
