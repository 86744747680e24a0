import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sizewell.instance_selection.estimation.queueing import (
    MAX_UTILIZATION,
    SERVICE_TAIL,
    latency_s,
    lognormal_tail,
    max_utilization,
    service_tail,
)

laws = settings(derandomize=True, max_examples=100)
service_times_s = st.floats(1e-4, 60)


def test_without_load_the_95th_percentile_is_the_tail_of_the_service_time() -> None:
    assert latency_s(2.0, 0.0) == 2.0 * SERVICE_TAIL


def test_at_half_load_waiting_adds_half_of_the_mm1_percentile() -> None:
    # M/M/1: P(wait > t) = u exp(-(1-u) t/s) = 0.05 at t = 2 x ln(10) services; half of it for steady service.
    assert latency_s(1.0, 0.5) == pytest.approx(1.2 + 0.5 * 2 * math.log(10))


def test_waiting_begins_without_a_jump() -> None:
    assert latency_s(1.0, 0.05 + 1e-9) == pytest.approx(latency_s(1.0, 0.05))


@laws
@given(service_times_s, st.floats(0, 0.99), st.floats(0, 0.99))
def test_the_95th_percentile_grows_with_utilization(service_s: float, one: float, other: float) -> None:
    lower, higher = sorted((one, other))

    assert latency_s(service_s, lower) <= latency_s(service_s, higher)


@laws
@given(service_times_s, st.floats(0.06, MAX_UTILIZATION - 0.01))
def test_max_utilization_inverts_the_95th_percentile(service_s: float, utilization: float) -> None:
    bound_s = latency_s(service_s, utilization)

    assert max_utilization(service_s, bound_s) == pytest.approx(utilization, abs=1e-6)


@laws
@given(service_times_s, st.floats(1e-3, 600))
def test_the_bound_is_met_at_the_utilization_that_it_allows(service_s: float, bound_s: float) -> None:
    allowed = max_utilization(service_s, bound_s)

    assert 0 <= allowed <= MAX_UTILIZATION
    if allowed:
        # Between the points of the table the curve is convex: the chord lies above it.
        assert latency_s(service_s, allowed) <= bound_s * (1 + 1e-6)


def test_no_queue_is_planned_above_the_cap_however_loose_the_bound() -> None:
    assert max_utilization(0.01, 1e9) == MAX_UTILIZATION == 0.85


def test_nothing_is_allowed_where_an_idle_server_is_too_slow() -> None:
    assert max_utilization(1.0, 1.19) == 0.0
    assert max_utilization(1.0, 1.2) == pytest.approx(0.05)


def erlang_c(servers: int, utilization: float) -> float:
    """Return the share of requests that wait, exactly."""
    offered = servers * utilization
    blocked = 1.0
    for k in range(1, servers + 1):
        blocked = offered * blocked / (k + offered * blocked)
    return blocked / (1 - utilization * (1 - blocked))


@pytest.mark.parametrize("servers", [1, 2, 4, 8, 16, 48])
@pytest.mark.parametrize("utilization", [0.3, 0.5, 0.7, 0.85])
def test_several_servers_at_one_queue_wait_as_erlang_says(servers: int, utilization: float) -> None:
    exact = 0.5 / (servers * (1 - utilization)) * math.log(max(erlang_c(servers, utilization), 0.05) / 0.05)

    found = latency_s(1.0, utilization, servers)

    # The approximation errs on the safe side.
    assert 0.995 < found / (SERVICE_TAIL + exact) < 1.12


@laws
@given(st.integers(1, 95), st.floats(1.2, 12))
def test_one_more_server_at_the_queue_allows_no_less(servers: int, bound_s: float) -> None:
    fewer, more = (max_utilization(1.0, bound_s, n) for n in (servers, servers + 1))

    assert fewer <= more + 1e-9
    assert latency_s(1.0, more, servers + 1) <= bound_s * (1 + 1e-6)


@laws
@given(st.lists(st.tuples(service_times_s, st.integers(1, 96)), min_size=1, max_size=8), st.floats(1e-3, 600))
def test_numbers_of_servers_are_answered_as_each_entry_alone(
    pairs: list[tuple[float, int]], bound_s: float
) -> None:
    service_s, servers = np.array(pairs).T

    assert max_utilization(service_s, bound_s, servers) == pytest.approx(
        [float(max_utilization(s, bound_s, n)) for s, n in pairs]
    )


@laws
@given(st.lists(st.tuples(service_times_s, st.floats(0, 0.99)), min_size=1, max_size=8), st.floats(1e-3, 600))
def test_columns_are_answered_as_each_entry_alone(pairs: list[tuple[float, float]], bound_s: float) -> None:
    service_s, utilization = np.array(pairs).T

    assert latency_s(service_s, utilization) == pytest.approx([float(latency_s(s, u)) for s, u in pairs])
    assert max_utilization(service_s, bound_s) == pytest.approx(
        [float(max_utilization(s, bound_s)) for s, _ in pairs]
    )


@laws
@given(service_times_s, st.floats(0, 0.99), st.sampled_from([1, 2, 8]))
def test_the_99th_percentile_is_no_less_than_the_95th(service: float, load: float, servers: int) -> None:
    assert latency_s(service, load, servers, 0.99) >= latency_s(service, load, servers)


@laws
@given(service_times_s, st.floats(0, 0.99), st.floats(0, 0.99), st.sampled_from([1, 2, 8]))
def test_more_load_never_shortens_the_99th_percentile(
    service: float, one: float, other: float, servers: int
) -> None:
    less, more = sorted((one, other))

    assert latency_s(service, less, servers, 0.99) <= latency_s(service, more, servers, 0.99) * (1 + 1e-12)


@laws
@given(service_times_s, st.floats(1.3, 20), st.sampled_from([1, 2, 8]), st.sampled_from([0.5, 0.9, 0.99]))
def test_at_the_highest_utilization_any_percentile_meets_its_bound(
    service: float, factor: float, servers: int, percentile: float
) -> None:
    busy = max_utilization(service, service * factor, servers, percentile)

    assert latency_s(service, busy, servers, percentile) <= service * factor * (1 + 1e-4)


def test_the_tail_of_a_service_time_grows_with_the_percentile() -> None:
    # A lognormal of 0.115: exp(2.326 x 0.1149 - 0.0066).
    assert service_tail(0.99) == pytest.approx(1.298, abs=1e-3)
    assert service_tail(0.5) < 1 < service_tail(0.95) == SERVICE_TAIL


@pytest.mark.parametrize("log_sd", [0.01, 0.3, 1.0])
def test_the_mean_of_a_lognormal_is_the_mean_of_its_percentiles(log_sd: float) -> None:
    percentiles = [(i + 0.5) / 10_000 for i in range(10_000)]
    tails = [float(lognormal_tail(one, log_sd)) for one in percentiles]

    assert sum(tails) / len(tails) == pytest.approx(1.0, abs=5e-3)
    assert tails == sorted(tails)
