"""The bounds beside the 95th percentile: the 99th, the first token, and the time between tokens."""

from typing import Any

import pytest

from sizewell.instance_selection import EndpointEstimate, Engine, select_endpoint_instance
from sizewell.instance_selection.estimation.queueing import latency_s, service_tail
from tests.instance_selection.builders import (
    catalog,
    cpu_instance,
    decoder_endpoint,
    endpoint,
    gpu_instance,
    rejection,
)

pytestmark = pytest.mark.usefixtures("half_of_peak")


def image(**needs: Any) -> EndpointEstimate:
    """Return the estimate of a CPU that takes 50 ms for an image."""
    return select_endpoint_instance(endpoint(**needs), catalog(cpu_instance())).chosen.estimate


def text(**needs: Any) -> EndpointEstimate:
    """Return the estimate of a GPU that reads a prompt in 40 ms and writes a token in 4 ms."""
    return select_endpoint_instance(
        decoder_endpoint(**({"max_p95_latency_ms": 20_000} | needs)), catalog(gpu_instance())
    ).chosen.estimate


def test_a_bound_of_the_99th_percentile_limits_the_capacity() -> None:
    found = image(max_p95_latency_ms=200, max_p99_latency_ms=200, peak_requests_per_second=1)
    busy = found.capacity_requests_per_second * 0.050

    assert latency_s(0.050, busy, percentile=0.99) == pytest.approx(0.200)
    assert found.decisive_bound == "p99"
    assert found.capacity_requests_per_second < image(max_p95_latency_ms=200).capacity_requests_per_second


def test_the_99th_percentile_is_predicted_where_nobody_asks() -> None:
    found = image(peak_requests_per_second=10)

    assert found.p99_latency_ms == pytest.approx(1000 * latency_s(0.050, 0.5, percentile=0.99))
    assert (found.time_to_first_token_ms, found.inter_token_ms, found.decisive_bound) == (
        None,
        None,
        "latency",
    )


def test_an_idle_type_that_misses_the_99th_percentile_is_rejected_by_its_name() -> None:
    needs = endpoint(max_p95_latency_ms=62, max_p99_latency_ms=63)

    found = rejection(needs, catalog(cpu_instance()))

    assert (found.filter, found.reason) == ("p99", "p99 of 65 ms on an idle instance, 63 ms asked")


def test_time_to_first_token_and_between_tokens_at_light_load() -> None:
    found = text(peak_requests_per_second=0.1)

    assert found.time_to_first_token_ms == pytest.approx(1.2 * 40.05, rel=1e-2)
    assert found.inter_token_ms == pytest.approx(1.2 * 4.013, rel=1e-2)


@pytest.mark.parametrize(
    ("bounds", "filter_"),
    [
        ({"max_time_to_first_token_ms": 40}, "first-token"),
        ({"max_inter_token_ms": 4}, "inter-token"),
    ],
)
def test_bounds_of_tokens_turn_down_what_misses_them_alone(bounds: dict[str, float], filter_: str) -> None:
    needs = decoder_endpoint(max_p95_latency_ms=20_000, **bounds)

    assert rejection(needs, catalog(gpu_instance())).filter == filter_


def test_the_time_between_tokens_limits_how_many_share_an_engine() -> None:
    free, bounded = text(), text(max_inter_token_ms=8)

    assert bounded.capacity_concurrency < free.capacity_concurrency
    assert bounded.inter_token_ms is not None
    assert bounded.inter_token_ms <= 8


def test_waiting_for_a_replica_that_takes_turns_delays_the_first_token_and_not_the_next() -> None:
    alone = text(engine=Engine.EAGER, peak_requests_per_second=0.01)
    busy = text(engine=Engine.EAGER, peak_requests_per_second=1.0)
    assert alone.time_to_first_token_ms is not None
    assert busy.time_to_first_token_ms is not None

    waited_ms = busy.p95_latency_ms - alone.p95_latency_ms
    assert busy.time_to_first_token_ms - alone.time_to_first_token_ms == pytest.approx(waited_ms)
    assert busy.inter_token_ms == alone.inter_token_ms


def test_the_capacity_under_a_bound_of_the_first_token_meets_it_just_so() -> None:
    found = text(engine=Engine.EAGER, peak_requests_per_second=0.1, max_time_to_first_token_ms=400)
    service_s = found.service_time_ms / 1000
    waiting_s = (
        latency_s(service_s, found.capacity_requests_per_second * service_s) - service_s * service_tail()
    )

    assert waiting_s + 1.2 * 0.040 == pytest.approx(0.400, rel=1e-3)


def test_users_who_share_a_replica_wait_for_each_other_before_the_first_token() -> None:
    users = {"peak_requests_per_second": None, "average_requests_per_second": None}
    found = text(
        engine=Engine.EAGER, peak_concurrent_users=2, max_time_to_first_token_ms=1200, headroom=0.0, **users
    )

    # 40 ms alone, 441 for each of the others: two of them are before the third.
    assert found.capacity_concurrency == 3


def test_too_many_instances_name_the_bound_that_limits_each() -> None:
    needs = endpoint(
        max_p95_latency_ms=200, max_p99_latency_ms=200, peak_requests_per_second=100, max_instances=2
    )

    found = rejection(needs, catalog(cpu_instance()))

    assert found.filter == "throughput"
    assert "carry the peak within the p99 of 200 ms, at most 2 are allowed" in found.reason


def test_near_limits_name_each_bound() -> None:
    found = image(max_p95_latency_ms=2_000, max_p99_latency_ms=300, peak_requests_per_second=15)

    assert (*found.near_limits, *found.not_predicted) == ("p99",)


@pytest.mark.filterwarnings("error")
def test_a_bound_between_tokens_limits_no_answer_in_one_pass() -> None:
    users = {
        "peak_requests_per_second": None,
        "average_requests_per_second": None,
        "peak_concurrent_users": 400,
    }
    found = rejection(
        endpoint(max_p95_latency_ms=200, max_inter_token_ms=40, max_instances=1, **users),
        catalog(cpu_instance()),
        "ml.c9.xlarge",
    )
    assert found.filter == "throughput"
