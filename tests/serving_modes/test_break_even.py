"""Cost curves rise, and cross where they are said to cross."""

from itertools import pairwise

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from sizewell.serving_modes.cost_curves import (
    CostCurve,
    Piece,
    crossings,
    jobs,
    per_request,
    steps,
    waking_fleet,
    warm_workers,
)
from sizewell.serving_modes.needs import Z95, mean_in_progress, workers_for
from sizewell.serving_modes.results import BreakEven

MOST = 10_000.0

usd = st.floats(min_value=0.01, max_value=100)
loads = st.floats(min_value=50, max_value=20_000)
hours = st.floats(min_value=0.001, max_value=10)
pieces: st.SearchStrategy[Piece] = st.one_of(
    st.builds(per_request, usd),
    st.builds(steps, usd, loads, st.integers(1, 4), st.sampled_from([1.0, 0.25])),
    st.builds(
        waking_fleet,
        usd,
        hours,
        hours,
        st.floats(min_value=1, max_value=730),
        st.sampled_from([0.0, 10.0, 730.0]),
    ),
    st.builds(warm_workers, usd, st.floats(min_value=1e-4, max_value=0.01), st.sampled_from([0.0, 1.645])),
    st.builds(jobs, usd, hours, hours, st.floats(min_value=1, max_value=8000)),
)
curves = st.lists(pieces, min_size=1, max_size=3).map(
    lambda found: CostCurve(tuple((str(i), piece) for i, piece in enumerate(found)))
)


def curve(*found: Piece) -> CostCurve:
    return CostCurve(tuple((str(i), piece) for i, piece in enumerate(found)))


@given(curves, st.floats(min_value=0, max_value=MOST), st.floats(min_value=0, max_value=MOST))
def test_more_requests_never_cost_less(one: CostCurve, a: float, b: float) -> None:
    assert one.usd(min(a, b)) <= one.usd(max(a, b)) * (1 + 1e-12)


@given(curves, st.data())
def test_between_its_kinks_a_curve_is_a_line(one: CostCurve, data: st.DataObject) -> None:
    points = sorted({0.0, MOST, *(kink for kink in one.kinks(MOST) if 0 < kink < MOST)})
    left, right = data.draw(st.sampled_from(list(pairwise(points))))
    assume(right - left > 1e-3)
    quarter = (right - left) / 4
    at = [one.usd(left + quarter), one.usd(left + 2 * quarter), one.usd(left + 3 * quarter)]
    assert at[1] == pytest.approx((at[0] + at[2]) / 2)


@settings(max_examples=100)
@given(curves, curves)
@example(curve(per_request(1.0)), curve(steps(100.0, 100.0)))
def test_order_turns_around_at_every_crossing_and_nowhere_else(one: CostCurve, other: CostCurve) -> None:
    found = list(crossings(one, other, MOST))
    borders = [0.0, *(c.requests_per_month for c in found), MOST]
    assert borders == sorted(borders)
    for crossing in found:
        if not crossing.at_step:
            at = crossing.requests_per_month
            assert one.usd(at) == pytest.approx(other.usd(at), rel=1e-6)
    for index, (left, right) in enumerate(pairwise(borders)):
        if not found or right - left < 1e-3:
            continue
        cheaper = found[index].cheaper_below if index < len(found) else not found[-1].cheaper_below
        for share in (0.1, 0.5, 0.9):
            requests = left + (right - left) * share
            difference = one.usd(requests) - other.usd(requests)
            slack = 1e-6 * one.usd(requests)
            assert difference <= slack if cheaper else difference >= -slack


@settings(max_examples=100)
@given(curves, curves, st.lists(st.floats(min_value=1, max_value=MOST), min_size=2, max_size=2))
def test_without_a_crossing_the_order_never_turns(one: CostCurve, other: CostCurve, at: list[float]) -> None:
    assume(not list(crossings(one, other, MOST)))
    first, second = (one.usd(x) - other.usd(x) for x in at)
    slack = 1e-6 * max(one.usd(x) for x in at)
    assert not (first > slack and second < -slack)
    assert not (first < -slack and second > slack)


@given(curves, curves)
def test_seen_from_the_other_side_the_crossings_are_the_same(one: CostCurve, other: CostCurve) -> None:
    mine = [(c.requests_per_month, c.cheaper_below) for c in crossings(one, other, MOST)]
    theirs = [(c.requests_per_month, not c.cheaper_below) for c in crossings(other, one, MOST)]
    assert [flip for _, flip in mine] == [flip for _, flip in theirs]
    assert [at for at, _ in mine] == pytest.approx([at for at, _ in theirs])


def test_a_price_per_request_meets_the_first_instance_exactly() -> None:
    found = list(crossings(curve(per_request(0.5)), curve(steps(100, 1000)), 900))
    assert found == [BreakEven(requests_per_month=200.0, cheaper_below=True)]


def test_a_step_of_the_other_bill_turns_the_order_without_equality() -> None:
    # 0.15 per request: more expensive than one instance from 667 on, cheaper than two from 1,000 on.
    found = list(crossings(curve(per_request(0.15)), curve(steps(100, 1000)), 1999))
    assert [round(c.requests_per_month) for c in found] == [667, 1000, 1333]
    assert [c.cheaper_below for c in found] == [True, False, True]
    assert [c.at_step for c in found] == [False, True, False]


def test_equal_bills_do_not_cross() -> None:
    assert list(crossings(curve(steps(100, 1000)), curve(steps(100, 1000)), MOST)) == []


def test_a_fleet_that_wakes_for_each_request_is_awake_all_day_at_most() -> None:
    fleet = waking_fleet(usd_per_hour=2, hours_per_request=0.01, hours_per_wake=0.25, active_hours=240)
    assert fleet.usd(0) == 0
    assert fleet.usd(100) == 2 * 25
    assert fleet.usd(10_000) == 2 * 240
    assert fleet.usd(30_000) == 2 * 300


def test_a_month_has_no_more_jobs_than_requests() -> None:
    bill = jobs(usd_per_hour=2, hours_per_request=0.001, hours_per_start=0.1, most=30)
    assert bill.usd(0) == 0
    assert bill.usd(10) == pytest.approx(2 * (10 * 0.1 + 0.01))
    assert bill.usd(1000) == pytest.approx(2 * (30 * 0.1 + 1))


@given(st.floats(min_value=1e-3, max_value=1e6))
def test_workers_for_a_mean_are_enough_for_that_mean(mean: float) -> None:
    assert mean_in_progress(workers_for(mean, Z95), Z95) == pytest.approx(mean)


def test_workers_are_the_95th_percentile_of_a_poisson_distribution() -> None:
    # Poisson with mean 100: P(X <= 117) = 0.956.
    assert workers_for(100, Z95) == pytest.approx(116.45)
