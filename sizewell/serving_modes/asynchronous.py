"""What an asynchronous endpoint needs of its instances: for the comparison of modes, and for the plan of one."""

from dataclasses import replace

from sizewell.facts.asynchronous import IDLE_S, MAX_PROCESSING_S, WAKE_S
from sizewell.instance_selection.requirements import EndpointRequirements, Queue


def asynchronous_needs(
    needs: EndpointRequirements,
    *,
    max_wait_s: float,
    average_requests_per_second: float,
    active_hours_per_day: float = 24.0,
    min_instances: int = 0,
    idle_s: float = IDLE_S,
) -> EndpointRequirements:
    """Return what an asynchronous endpoint needs: the mean of its active hours, whatever the peak, and a queue before it.

    One invocation may take an hour, however long may be waited.
    """
    return replace(
        needs.with_only_latency_bound(min(max_wait_s, MAX_PROCESSING_S) * 1000),
        peak_requests_per_second=average_requests_per_second * 24 / active_hours_per_day,
        average_requests_per_second=average_requests_per_second,
        peak_concurrent_users=None,
        average_concurrent_users=None,
        min_instances=min_instances,
        queue=Queue(
            max_wait_s=max_wait_s,
            wake_s=WAKE_S,
            idle_s=idle_s,
            active_hours_per_day=active_hours_per_day,
        ),
    )
