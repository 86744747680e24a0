"""The private API before an endpoint: how much it lets through, and what of the endpoint does not go with it."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from sizewell.config.access import ApiGateway
from sizewell.facts.api_gateway import INTEGRATION_TIMEOUT_S, MAX_BURST_REQUESTS, MAX_PAYLOAD_MB
from sizewell.facts.serving_features import Feature
from sizewell.instance_selection import EndpointRequirements
from sizewell.planning.errors import PlanFault
from sizewell.planning.features import KeyPath
from sizewell.planning.legality import refusals, served_as
from sizewell.planning.workload_plan import ApiGatewayPlan, WorkloadPlan
from sizewell.serving_modes.needs import load_of

_KEY = ("access", "api_gateway")
_ANSWERS = ("max_p95_ms", "max_p99_ms", "max_cold_ms")
_TOKENS = ("max_time_to_first_token_ms", "max_inter_token_ms")


def plan_api_gateway(api: ApiGateway, needs: EndpointRequirements, answer_s: float) -> ApiGatewayPlan:
    """Return the API before an endpoint of these needs; users ask again after ``answer_s``."""
    load = load_of(needs, answer_s)
    peak = load.peak_units / answer_s if load.by_users else load.peak_units
    return _api(tuple(sorted(api.callers)), peak / (1 - needs.headroom), load.requests_per_month)


def joined(apis: Sequence[ApiGatewayPlan]) -> ApiGatewayPlan:
    """Return the API before several variants, of the APIs for the share of each."""
    return _api(
        apis[0].role_arns,
        sum(api.requests_per_second for api in apis),
        sum(api.requests_per_month for api in apis),
    )


def _api(role_arns: tuple[str, ...], requests_per_second: float, requests_per_month: float) -> ApiGatewayPlan:
    # What comes at once and cannot be answered before API Gateway gives up is better refused.
    burst = min(requests_per_second * INTEGRATION_TIMEOUT_S, MAX_BURST_REQUESTS)
    return ApiGatewayPlan(
        role_arns=role_arns,
        requests_per_second=math.ceil(requests_per_second),
        burst_requests=math.ceil(burst),
        requests_per_month=requests_per_month,
    )


def api_gateway_faults(name: str, workload: Any, plan: WorkloadPlan) -> Iterator[PlanFault]:
    """Yield what of an endpoint cannot pass the API before it."""
    access = getattr(workload, "access", None)
    if access is None or access.api_gateway is None:
        return
    if getattr(plan, "asynchronous", None) is not None:
        yield PlanFault(
            ("workloads", name, *_KEY),
            "has no effect: callers of an asynchronous endpoint put each request into S3, and an API would take its name only",
            "name the roles in access.callers, or write kind: real-time-endpoint",
        )
        return
    latency, request = workload.latency, workload.request
    asked: dict[Feature, KeyPath] = {Feature.API_GATEWAY: _KEY}
    if any((_stated(latency, key) or 0) > INTEGRATION_TIMEOUT_S * 1000 for key in _ANSWERS):
        asked[Feature.LONG_ANSWERS] = ("latency",)
    if any((size or 0) > MAX_PAYLOAD_MB for size in (request.payload_mb, request.response_mb)):
        asked[Feature.LARGE_PAYLOADS] = ("request",)
    # Who invokes the endpoint itself may read a stream.
    if not access.callers and any(_stated(latency, key) for key in _TOKENS):
        asked[Feature.STREAMING] = ("latency",)
    yield from refusals(name, served_as(plan), asked)


def _stated(latency: Any, key: str) -> float | None:
    return getattr(latency, key) if key in latency.model_fields_set else None
