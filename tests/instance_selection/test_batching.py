"""Dynamic batching: what a server that computes several requests in one pass carries, and how long they take."""

from collections import deque
from collections.abc import Callable
from heapq import heappop, heappush
from itertools import count
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sizewell.instance_selection import (
    Batching,
    EndpointEstimate,
    EndpointRequirements,
    Engine,
    Measurement,
    select_endpoint_instance,
)
from sizewell.instance_selection.estimation.queueing import SERVICE_TAIL, batched_latency_s, latency_s
from sizewell.instance_selection.latency_bounds import P95
from tests.instance_selection.builders import (
    ROUND_CNN,
    catalog,
    decoder_endpoint,
    endpoint,
    endpoint_columns,
    gpu_instance,
    rejection,
)

laws = settings(derandomize=True, max_examples=60, deadline=None)
SIZES = np.array([1, 2, 4, 8], float)
GPU = catalog(gpu_instance(), usd_per_hour={"ml.g9.xlarge": 1.0})


def predicted(load: float, seconds: Callable[[Any], Any], delay_s: float, servers: int) -> float:
    p95 = batched_latency_s(
        np.array([load]),
        SIZES,
        seconds(SIZES)[:, None],
        seconds(SIZES)[:, None],
        delay_s,
        np.array([float(servers)]),
    )
    return float(p95[0])


def simulated(load: float, seconds: Callable[[float], float], delay_s: float, servers: int) -> float:
    """Return the 95th percentile of 6,000 requests: a free worker takes one, and waits for others to join it."""
    random, largest = np.random.default_rng(1), int(SIZES[-1])
    arrivals = np.cumsum(random.exponential(1 / load, 6000)).tolist()
    waiting: deque[float] = deque()
    collecting: deque[list[float]] = deque()
    events: list[tuple[float, int, list[float] | None]] = []
    latencies: list[float] = []
    order, free = count(), servers

    def compute(batch: list[float], now: float) -> None:
        took = seconds(len(batch)) * max(0.3, random.normal(1, (SERVICE_TAIL - 1) / 1.645))
        latencies.extend(now + took - arrived for arrived in batch)
        heappush(events, (now + took, next(order), None))

    for arrival in [*arrivals, float("inf")]:
        while events and events[0][0] <= arrival:
            now, _, batch = heappop(events)
            if batch is None:
                free += 1
            elif any(batch is one for one in collecting):
                collecting.remove(batch)
                compute(batch, now)
            while waiting and free:
                free -= 1
                batch = [waiting.popleft() for _ in range(min(largest, len(waiting)))]
                if len(batch) == largest or not delay_s:
                    compute(batch, now)
                else:
                    collecting.append(batch)
                    heappush(events, (now + delay_s, next(order), batch))
        if arrival == float("inf"):
            break
        if collecting:
            collecting[0].append(arrival)
            if len(collecting[0]) == largest:
                compute(collecting.popleft(), arrival)
        elif free:
            free -= 1
            if delay_s:
                collecting.append([arrival])
                heappush(events, (arrival + delay_s, next(order), collecting[-1]))
            else:
                compute([arrival], arrival)
        else:
            waiting.append(arrival)
    return float(np.percentile(latencies, 95))


@pytest.mark.parametrize("servers", [1, 4])
@pytest.mark.parametrize("delay_s", [0.0, 0.005])
@pytest.mark.parametrize("share", [0.05, 0.4, 0.8])
@pytest.mark.parametrize("each_s", [0.0001, 0.001])
def test_latency_is_that_of_a_simulated_server_or_somewhat_longer(
    servers: int, delay_s: float, share: float, each_s: float
) -> None:
    def seconds(size: Any) -> Any:
        return 0.005 + each_s * size

    load = share * servers * SIZES[-1] / seconds(SIZES[-1])
    ratio = predicted(load, seconds, delay_s, servers) / simulated(load, seconds, delay_s, servers)
    assert 0.9 < ratio < 2.2


def test_batches_of_one_wait_as_in_any_queue() -> None:
    load, one = np.array([50.0]), np.array([1.0])
    alone = batched_latency_s(load, one, np.array([[0.01]]), np.array([[0.01]]), 0.0, one)
    assert float(alone[0]) == pytest.approx(float(latency_s(0.01, 0.5)))


@laws
@given(st.floats(0, 2000), st.floats(0.0001, 0.01), st.floats(0, 0.1), st.integers(1, 8))
def test_a_lone_request_waits_the_delay_and_a_busy_one_no_less(
    load: float, each_s: float, delay_s: float, servers: int
) -> None:
    def seconds(size: Any) -> Any:
        return 0.005 + each_s * size

    idle = predicted(0.0, seconds, delay_s, servers)
    assert idle == pytest.approx(delay_s + SERVICE_TAIL * seconds(1))
    assert predicted(load, seconds, delay_s, servers) >= idle * (1 - 1e-9)


def test_what_gathers_in_the_delay_is_computed_together() -> None:
    # Of 5 requests that gather on average, 95 of 100 batches hold at most 1 + 5 + 1.645 x sqrt(5) = 9.7: all eight.
    slow = predicted(100.0, lambda size: 0.001 * size, 0.05, 1)
    assert slow >= 0.05 + SERVICE_TAIL * 0.008


@pytest.mark.usefixtures("half_of_peak")
def test_more_load_is_never_faster() -> None:
    columns = endpoint_columns(
        endpoint(batching=Batching(max_batch_size=32, max_delay_ms=50)), gpu_instance()
    )
    batches = columns.layout.batches
    assert batches is not None
    found = [float(batches.latency_s(P95, np.array([load]))[0]) for load in np.linspace(0, 300, 61)]
    assert found == sorted(found)
    assert found[0] < found[-1]


def batched(size: int = 8, delay_ms: int = 5, **needs: Any) -> EndpointRequirements:
    """Return the needs of a CNN whose batch is computed as fast as one: the weights are all that is read."""
    flat = {"forward_flops_per_image": 1e6, "parameters": 5e9, "activations_per_image": 1.0}
    model = ROUND_CNN.__class__(**{**vars(ROUND_CNN), **flat})
    values = {"model": model, "batching": Batching(max_batch_size=size, max_delay_ms=delay_ms)}
    return endpoint(**(values | needs))


def generating(load: float, batching: Batching | None) -> EndpointRequirements:
    """Return the needs of a decoder in an eager framework."""
    return decoder_endpoint(
        engine=Engine.EAGER,
        batching=batching,
        max_p95_latency_ms=60_000,
        peak_requests_per_second=load,
        average_requests_per_second=load,
    )


def estimate(needs: EndpointRequirements) -> EndpointEstimate:
    return select_endpoint_instance(needs, GPU).chosen.estimate


@pytest.mark.usefixtures("half_of_peak")
def test_capacity_grows_with_the_batch_where_a_batch_costs_no_more() -> None:
    alone = estimate(batched(batching=None, peak_requests_per_second=1, average_requests_per_second=1))
    eight = estimate(batched(delay_ms=0, peak_requests_per_second=1, average_requests_per_second=1))
    assert eight.service_time_ms == pytest.approx(alone.service_time_ms)
    ratio = eight.capacity_requests_per_second / alone.capacity_requests_per_second
    assert 6 < ratio <= 8.5


@pytest.mark.usefixtures("half_of_peak")
def test_p95_includes_the_delay_and_a_bound_below_it_turns_the_type_down() -> None:
    quiet: dict[str, Any] = {"peak_requests_per_second": 0.001, "average_requests_per_second": 0.001}
    at_once, later = (estimate(batched(delay_ms=delay, **quiet)) for delay in (0, 200))
    assert later.p95_latency_ms == pytest.approx(at_once.p95_latency_ms + 200, rel=1e-3)
    near = at_once.p95_latency_ms + 100
    assert estimate(batched(delay_ms=0, max_p95_latency_ms=near, **quiet))
    assert rejection(batched(delay_ms=200, max_p95_latency_ms=near, **quiet), GPU).filter == "latency"


@pytest.mark.usefixtures("half_of_peak")
def test_memory_holds_a_whole_batch() -> None:
    activations = [
        estimate(endpoint(batching=b)).memory.activations_gib
        for b in (None, Batching(max_batch_size=8, max_delay_ms=0))
    ]
    assert activations[1] == pytest.approx(8 * activations[0])


@pytest.mark.usefixtures("half_of_peak")
def test_users_take_turns_a_batch_at_a_time() -> None:
    users: dict[str, Any] = {
        "peak_requests_per_second": None,
        "average_requests_per_second": None,
        "average_concurrent_users": 1.0,
    }
    full = estimate(batched(delay_ms=10, peak_concurrent_users=8.0, headroom=0.0, **users))
    more = estimate(batched(delay_ms=10, peak_concurrent_users=16.0, headroom=0.0, **users))
    assert (full.instances_at_peak, more.instances_at_peak) == (1, 1)
    one_pass = full.p95_latency_ms - 10
    assert one_pass == pytest.approx(SERVICE_TAIL * full.service_time_ms, rel=0.05)
    assert more.p95_latency_ms == pytest.approx(10 + 2 * one_pass)
    needs = batched(delay_ms=10, peak_concurrent_users=1.0, max_p95_latency_ms=10 + 2.5 * one_pass, **users)
    assert estimate(needs).capacity_concurrency == 16


@pytest.mark.usefixtures("half_of_peak")
def test_a_decoder_generates_a_batch_together() -> None:
    alone, four = (estimate(generating(0.1, b)) for b in (None, Batching(max_batch_size=4, max_delay_ms=100)))
    assert four.capacity_requests_per_second > 2 * alone.capacity_requests_per_second
    assert four.memory.kv_cache_gib == pytest.approx(4 * alone.memory.kv_cache_gib)


@pytest.mark.usefixtures("half_of_peak")
def test_what_was_measured_has_the_delay_in_it() -> None:
    quiet: dict[str, Any] = {"peak_requests_per_second": 0.001, "average_requests_per_second": 0.001}
    measured = Measurement(instance_type="ml.g9.xlarge", p95_latency_ms=112.0, concurrency=1.0)
    found = estimate(batched(delay_ms=100, measurements=(measured,), **quiet))
    assert found.p95_latency_ms == 112
    assert found.service_time_ms == pytest.approx(12 / SERVICE_TAIL)
    asked = batched(delay_ms=100, measurements=(measured,), max_p95_latency_ms=111, **quiet)
    assert rejection(asked, GPU).filter == "latency"


@laws
@given(st.floats(0.01, 500), st.floats(1.0, 4.0), st.integers(2, 64), st.integers(0, 100))
def test_more_load_needs_no_fewer_instances(load: float, factor: float, size: int, delay_ms: int) -> None:
    def instances(peak: float) -> int:
        needs = endpoint(
            batching=Batching(max_batch_size=size, max_delay_ms=delay_ms),
            peak_requests_per_second=peak,
            average_requests_per_second=peak,
            max_instances=10**9,
        )
        return estimate(needs).instances_at_peak

    assert instances(load) <= instances(load * factor)


@laws
@given(st.floats(0.01, 300), st.integers(2, 64), st.integers(0, 100))
def test_the_99th_percentile_is_no_shorter_than_the_95th(load: float, size: int, delay_ms: int) -> None:
    needs = endpoint(
        batching=Batching(max_batch_size=size, max_delay_ms=delay_ms),
        peak_requests_per_second=load,
        average_requests_per_second=load,
        max_instances=10**9,
    )
    found = estimate(needs)
    assert found.p99_latency_ms is not None
    assert found.p99_latency_ms >= found.p95_latency_ms


@pytest.mark.usefixtures("half_of_peak")
def test_a_second_bound_lowers_the_capacity_of_batches() -> None:
    quiet: dict[str, Any] = {"peak_requests_per_second": 1.0, "average_requests_per_second": 1.0}
    loose = estimate(batched(max_p95_latency_ms=100, **quiet))
    strict = estimate(batched(max_p95_latency_ms=100, max_p99_latency_ms=35, **quiet))
    assert strict.capacity_requests_per_second < loose.capacity_requests_per_second
    assert strict.p95_latency_ms == pytest.approx(loose.p95_latency_ms)


@pytest.mark.usefixtures("half_of_peak")
def test_the_first_token_waits_for_the_batch_and_the_next_ones_do_not() -> None:
    at_once, later = (
        estimate(generating(0.001, Batching(max_batch_size=4, max_delay_ms=delay))) for delay in (0, 500)
    )
    assert at_once.time_to_first_token_ms is not None
    assert later.time_to_first_token_ms == pytest.approx(at_once.time_to_first_token_ms + 500, rel=0.01)
    assert later.inter_token_ms == at_once.inter_token_ms
