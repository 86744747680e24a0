"""What is best: the least cost, or the least latency; and a budget as one more requirement."""

import pytest

from sizewell.instance_selection import (
    NoFeasibleInstanceError,
    Objective,
    select_endpoint_instance,
    select_training_instance,
)
from tests.instance_selection.builders import (
    catalog,
    cpu_instance,
    endpoint,
    gpu_instance,
    rejection,
    training,
)

pytestmark = pytest.mark.usefixtures("half_of_peak")

SLOW, FAST, TWIN = "ml.c9.xlarge", "ml.g9.xlarge", "ml.g9.2xlarge"
KNOWN = catalog(
    cpu_instance(SLOW), gpu_instance(FAST), gpu_instance(TWIN), usd_per_hour={SLOW: 0.1, FAST: 1.0, TWIN: 2.0}
)


def test_the_cheapest_or_the_fastest() -> None:
    cheap, fast = (
        select_endpoint_instance(endpoint(objective=objective), KNOWN).chosen.instance_type
        for objective in (Objective.LEAST_COST, Objective.LEAST_LATENCY)
    )

    assert (cheap, fast) == (SLOW, FAST)


def test_the_same_types_are_feasible_whatever_is_best() -> None:
    stories = [
        select_endpoint_instance(endpoint(objective=objective, max_p95_latency_ms=50), KNOWN)
        for objective in Objective
    ]

    assert len({frozenset(c.instance_type for c in (s.chosen, *s.runners_up)) for s in stories}) == 1
    assert stories[0].rejected == stories[1].rejected


def test_of_equally_fast_types_the_cheaper_one_comes_first() -> None:
    found = select_endpoint_instance(endpoint(objective=Objective.LEAST_LATENCY), KNOWN)

    assert [found.chosen.instance_type, *(c.instance_type for c in found.runners_up)] == [FAST, TWIN, SLOW]


def test_a_fast_type_without_a_price_may_win_when_only_latency_counts() -> None:
    unpriced = catalog(cpu_instance(SLOW), gpu_instance(FAST), usd_per_hour={SLOW: 0.1})

    fast = select_endpoint_instance(endpoint(objective=Objective.LEAST_LATENCY), unpriced).chosen
    cheap = select_endpoint_instance(endpoint(), unpriced).chosen

    assert (fast.instance_type, cheap.instance_type) == (FAST, SLOW)


def test_a_budget_turns_down_what_costs_more_and_says_by_how_much() -> None:
    # 730 hours of 2 USD.
    found = rejection(endpoint(max_usd_per_month=1000), KNOWN, TWIN)

    assert (found.filter, found.reason) == (
        "budget",
        "costs 1,460.00 USD per month, the budget is 1,000.00",
    )
    assert found.shortfall == pytest.approx(1.46)


def test_a_budget_of_just_the_cost_is_kept() -> None:
    assert select_endpoint_instance(endpoint(max_usd_per_month=1460), KNOWN).rejected == ()


def test_cost_within_a_latency_bound_or_latency_within_a_budget() -> None:
    fastest_affordable = endpoint(objective=Objective.LEAST_LATENCY, max_usd_per_month=100)

    assert select_endpoint_instance(fastest_affordable, KNOWN).chosen.instance_type == SLOW
    assert select_endpoint_instance(endpoint(max_p95_latency_ms=10), KNOWN).chosen.instance_type == FAST


def test_nobody_knows_whether_an_unknown_price_is_within_the_budget() -> None:
    unpriced = catalog(cpu_instance(SLOW), gpu_instance(FAST), usd_per_hour={FAST: 1.0})

    found = rejection(endpoint(max_usd_per_month=1e6), unpriced, SLOW)

    assert (found.filter, found.reason) == ("budget", "its price is not known, the budget is 1,000,000.00")
    assert found.shortfall is None


def test_a_savings_plan_may_bring_a_type_into_the_budget() -> None:
    needs = {"max_usd_per_month": 1000.0, "objective": Objective.LEAST_LATENCY}

    assert rejection(endpoint(**needs), KNOWN, TWIN).filter == "budget"
    assert select_endpoint_instance(endpoint(savings_plan_discount_pct=40, **needs), KNOWN).rejected == ()


def test_nothing_within_the_budget_names_the_nearest() -> None:
    with pytest.raises(NoFeasibleInstanceError) as raised:
        select_endpoint_instance(endpoint(max_usd_per_month=1), KNOWN)

    assert [one.instance_type for one in raised.value.nearest] == [SLOW, FAST, TWIN]
    assert {one.filter for one in raised.value.nearest} == {"budget"}


def test_rejections_by_budget_are_in_the_order_of_the_catalog_among_the_others() -> None:
    found = select_endpoint_instance(endpoint(max_usd_per_month=800, max_p95_latency_ms=50), KNOWN)

    assert [(one.instance_type, one.filter) for one in found.rejected] == [
        (SLOW, "latency"),
        (TWIN, "budget"),
    ]


def test_the_budget_of_a_job_is_that_of_a_run() -> None:
    # An hour and ten minutes at 2 USD.
    found = rejection(training(max_usd_per_run=2.0, deadline_hours=500), KNOWN, TWIN)

    assert (found.filter, found.reason) == ("budget", "a run costs 2.33 USD, the budget is 2.00")
    assert found.shortfall == pytest.approx(7 / 6)
    chosen = select_training_instance(training(max_usd_per_run=2.0), KNOWN).chosen
    assert chosen.estimate.usd_per_run is not None
    assert chosen.estimate.usd_per_run <= 2.0
