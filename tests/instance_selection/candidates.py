"""Candidates and selections made by hand: a test states only cost and time."""

from typing import Any

from sizewell.instance_selection import (
    Candidate,
    Cost,
    EndpointEstimate,
    MemoryEstimate,
    PriceBasis,
    Selection,
    TrainingEstimate,
)


def cost(usd_per_month: float | None) -> Cost:
    """Return the cost of one instance that runs for a thousand hours."""
    return Cost(
        usd_per_hour=None if usd_per_month is None else usd_per_month / 1000,
        usd_per_month=usd_per_month,
        basis=PriceBasis.UNKNOWN if usd_per_month is None else PriceBasis.PUBLISHED,
        price_date="2026-01-31",
    )


def serving(
    name: str, usd_per_month: float | None, p95_latency_ms: float, **estimate: Any
) -> Candidate[EndpointEstimate]:
    values = {
        "memory": MemoryEstimate(weights_gib=4, kv_cache_gib=2, reserve_gib=1, usable_gib=10),
        "tensor_parallel_degree": 1,
        "replicas_per_instance": 1,
        "service_time_ms": p95_latency_ms / 2,
        "p95_latency_ms": p95_latency_ms,
        "capacity_requests_per_second": 10.0,
        "capacity_concurrency": 1,
        "utilization": 0.5,
        "instances_at_average": 1,
        "instances_at_peak": 1,
    }
    return Candidate(
        instance_type=name, estimate=EndpointEstimate(**(values | estimate)), cost=cost(usd_per_month)
    )


def job(
    name: str, usd_per_month: float | None, duration_hours: float, **estimate: Any
) -> Candidate[TrainingEstimate]:
    values = {
        "memory": MemoryEstimate(
            weights_gib=1, activations_gib=2, gradients_gib=1, optimizer_gib=3, usable_gib=10
        ),
        "instance_count": 1,
        "accelerator_count": 1,
        "sharded": False,
        "units_per_second": 1000.0,
        "duration_hours": duration_hours,
        "utilization": 0.4,
        "spot_savings_pct": None,
        "usd_per_run": usd_per_month,
    }
    return Candidate(
        instance_type=name, estimate=TrainingEstimate(**(values | estimate)), cost=cost(usd_per_month)
    )


def selection(*candidates: Candidate[Any], **changes: Any) -> Selection[Any]:
    """Return a selection of the first candidate."""
    kind = EndpointEstimate if isinstance(candidates[0].estimate, EndpointEstimate) else TrainingEstimate
    values = {"chosen": candidates[0], "runners_up": candidates[1:], "rejected": (), "assumptions": ()}
    return Selection[kind](**(values | changes))  # type: ignore[valid-type]
