"""What an endpoint is that answers later."""

from sizewell.config.endpoint import EndpointNeeds
from sizewell.config.traffic import RequestTraffic, UserTraffic
from sizewell.facts.billing import SECONDS_PER_MONTH
from sizewell.kinds.asynchronous_endpoint.config import (
    MAX_WAIT_MINUTES,
    AsynchronousEndpoint,
    AsynchronousLatency,
)
from sizewell.planning.kind import ModeKind
from sizewell.planning.mode_kinds import stated_as
from sizewell.serving_modes import Mode, ModeComparison


def _stated(endpoint: EndpointNeeds, comparison: ModeComparison | None) -> AsynchronousEndpoint:
    assert comparison is not None
    wait_minutes = endpoint.latency.max_wait_minutes
    assert wait_minutes is not None, "a mode that answers later is taken only where an answer may come later"
    return stated_as(
        AsynchronousEndpoint,
        endpoint,
        traffic=_requests(endpoint, comparison),
        latency=AsynchronousLatency(max_wait_minutes=min(wait_minutes, MAX_WAIT_MINUTES)),
    )


def _requests(endpoint: EndpointNeeds, comparison: ModeComparison) -> RequestTraffic:
    """Return the traffic in requests: what users send who each wait for an answer, where it is stated in users."""
    traffic = endpoint.traffic
    if not isinstance(traffic, UserTraffic):
        return traffic
    average = comparison.requests_per_month / SECONDS_PER_MONTH
    users = traffic.average_concurrent_users or traffic.peak_concurrent_users
    return RequestTraffic(
        peak_requests_per_second=average
        * max(traffic.peak_concurrent_users / users, 24 / traffic.active_hours_per_day),
        average_requests_per_second=average,
        active_hours_per_day=traffic.active_hours_per_day,
    )


FACET = ModeKind(mode=Mode.ASYNCHRONOUS, stated=_stated)
