"""A measurement of a workload on an instance type; it replaces the estimate."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """What somebody measured of a workload on an instance type; None is not measured.

    ``p95_latency_ms`` is at ``concurrency`` requests in flight, or of one request alone when that is 1.
    ``max_requests_per_second`` is what one instance carried within the latency bound of the test.
    ``training_units_per_second`` are examples or tokens of the whole cluster of ``instance_count`` instances.
    ``peak_accelerator_memory_gib`` is of the fullest accelerator. ``date`` is an ISO date, ``source`` for example
    "inference-recommender job bert-7" or "load test".
    """

    instance_type: str
    p95_latency_ms: float | None = None
    max_requests_per_second: float | None = None
    concurrency: float | None = None
    training_units_per_second: float | None = None
    instance_count: int = 1
    peak_accelerator_memory_gib: float | None = None
    date: str = ""
    source: str = ""
