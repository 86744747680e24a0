"""The private API before an endpoint: what it lets through, and what of the endpoint it refuses, at the key that asks for it."""

from typing import Any

import pytest

from sizewell.kinds.serverless_endpoint.plan_model import ServerlessEndpointPlan
from sizewell.planning.build import build_plan
from sizewell.planning.endpoint_plan_model import EndpointPlan
from sizewell.planning.errors import PlanError
from sizewell.planning.workload_plan import ApiGatewayPlan
from tests.planning.builders import endpoint, environment, llm_endpoint, mode_endpoint
from tests.planning.builders import queue_endpoint as queue
from tests.planning.test_multi_model_plan import several
from tests.planning.test_serverless_plan import serverless
from tests.serving_modes.builders import SMALL

TILL, PARTNER = "arn:aws:iam::111122223333:role/till", "arn:aws:iam::444455556666:role/partner"
API = {"api_gateway": {"callers": [PARTNER, TILL]}}
DIRECT = {"callers": [TILL]}
PATH = ("workloads", "plants", "access", "api_gateway")


def planned(workload: Any) -> ApiGatewayPlan:
    plan = build_plan(environment({"plants": workload}), SMALL).workloads[0]
    assert isinstance(plan, EndpointPlan | ServerlessEndpointPlan)
    assert plan.access is not None
    assert plan.access.api_gateway is not None
    return plan.access.api_gateway


def refused(workload: Any) -> str:
    with pytest.raises(PlanError) as raised:
        build_plan(environment({"plants": workload}), SMALL)
    (fault,) = raised.value.faults
    assert fault.key_path == PATH
    return f"{fault.reason}; {fault.hint}"


@pytest.mark.parametrize("make", [endpoint, mode_endpoint, serverless, several])
def test_the_peak_with_its_headroom_passes_and_what_can_be_answered_at_once(make: Any) -> None:
    traffic = {"peak_requests_per_second": 7, "average_requests_per_second": 0.1}
    found = planned(make(access=API, traffic=traffic, latency={"max_p95_ms": 20_000}))
    assert found.role_arns == (TILL, PARTNER)
    assert found.requests_per_second == 10  # 7 leave 0.3 free
    assert found.burst_requests == 290  # in the 29 s that API Gateway waits
    assert found.requests_per_month == pytest.approx(0.1 * 730 * 3600)


def test_the_headroom_is_that_of_the_scaling_and_a_burst_no_more_than_an_account_takes() -> None:
    traffic = {"peak_requests_per_second": 200, "average_requests_per_second": 1}
    found = planned(endpoint(access=API, traffic=traffic, scaling={"headroom": 0.5}))
    assert (found.requests_per_second, found.burst_requests) == (400, 5000)


def test_users_send_the_next_request_when_the_last_one_is_answered() -> None:
    users = {"peak_concurrent_users": 20, "average_concurrent_users": 2}
    plan = build_plan(environment({"plants": endpoint(access=API, traffic=users)}), SMALL).endpoints[0]
    answer_s = plan.selection.chosen.estimate.service_time_ms / 1000
    found = planned(endpoint(access=API, traffic=users))
    assert 20 / answer_s / 0.7 <= found.requests_per_second < 20 / answer_s / 0.7 + 1
    assert found.requests_per_month == pytest.approx(2 / answer_s * 730 * 3600)


def test_variants_share_an_api_and_a_shadow_adds_nothing_to_it() -> None:
    traffic = {"peak_requests_per_second": 7, "average_requests_per_second": 0.1}
    alone = planned(endpoint(access=API, traffic=traffic))
    others: list[dict[str, Any]] = [{"variants": {"other": {"traffic_percent": 50}}}, {"shadow": {}}]
    for beside in others:
        found = planned(endpoint(access=API, traffic=traffic, **beside))
        assert found.requests_per_second == alone.requests_per_second
        assert found.requests_per_month == pytest.approx(alone.requests_per_month)


@pytest.mark.parametrize(
    ("workload", "says"),
    [
        (
            endpoint(access=API, latency={"max_p95_ms": 29_001}),
            "API Gateway in front does not go with answers after more than 29 s: API Gateway waits 29 s for an answer",
        ),
        (
            endpoint(access=API, latency={"max_p95_ms": 900, "max_p99_ms": 40_000}),
            "answers after more than 29 s",
        ),
        (
            several(access=API, latency={"max_p95_ms": 900, "max_cold_ms": 40_000}),
            "answers after more than 29 s",
        ),
        (
            endpoint(access=API, request={"images": 1, "payload_mb": 10.1}),
            "does not go with requests or answers above 10 MB: API Gateway takes requests and answers of 10 MB at most; "
            "replace access.api_gateway by access.callers",
        ),
        (endpoint(access=API, request={"images": 1, "response_mb": 11}), "requests or answers above 10 MB"),
        (
            llm_endpoint(access=API, latency={"max_p95_ms": 20_000, "max_time_to_first_token_ms": 9_000}),
            "API Gateway in front does not go with streamed answers: API Gateway streams answers of functions and HTTP servers "
            "only",
        ),
        (
            queue(access={**API, **DIRECT}),
            "has no effect: callers of an asynchronous endpoint put each request into S3",
        ),
    ],
)
def test_what_api_gateway_refuses(workload: Any, says: str) -> None:
    assert says in refused(workload)


@pytest.mark.parametrize(
    "workload",
    [
        endpoint(access=API, latency={"max_p95_ms": 29_000}, request={"images": 1, "payload_mb": 10}),
        # Others read the stream.
        llm_endpoint(
            access={**API, **DIRECT}, latency={"max_p95_ms": 20_000, "max_time_to_first_token_ms": 9_000}
        ),
        endpoint(access=DIRECT, latency={"max_p95_ms": 50_000}, request={"images": 1, "payload_mb": 20}),
    ],
)
def test_what_passes(workload: Any) -> None:
    build_plan(environment({"plants": workload}), SMALL)


def test_a_variant_that_takes_larger_requests_is_refused_as_itself() -> None:
    larger = {"traffic_percent": 10, "request": {"images": 1, "payload_mb": 11}}
    assert refused(endpoint(access=API, variants={"larger": larger})).startswith(
        "variant larger: API Gateway in front does not go with requests"
    )
