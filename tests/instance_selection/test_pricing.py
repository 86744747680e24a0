"""From a price per hour to a cost per month, with and without a Savings Plan."""

from functools import partial

import pytest

from sizewell.facts.billing import HOURS_PER_MONTH
from sizewell.instance_selection import PriceBasis, Usage, select_endpoint_instance, select_training_instance
from sizewell.instance_selection.pricing import cost_order, endpoint_cost, job_cost
from sizewell.instance_selection.results import Cost
from tests.instance_selection.builders import catalog, cpu_instance, endpoint, gpu_instance, training

NAME = "ml.c9.xlarge"
TYPE = cpu_instance(NAME)
PRICED = catalog(TYPE, usd_per_hour={NAME: 0.5})
UNPRICED = catalog(TYPE)


def cost(discount_percent: float = 0.0, instances: float = 2) -> Cost:
    return endpoint_cost(PRICED.price(NAME, Usage.HOSTING), instances, discount_percent=discount_percent)


def test_instances_run_730_hours_a_month() -> None:
    assert HOURS_PER_MONTH == 730
    assert cost().usd_per_month == 0.5 * 2 * 730
    assert cost().savings_plan_break_even_hours is None
    assert cost().note == ""


def test_a_savings_plan_takes_its_discount_off_every_hour() -> None:
    found = cost(discount_percent=40)

    assert found.usd_per_month == pytest.approx(0.6 * 0.5 * 2 * 730)
    # The price per hour stays that of on-demand.
    assert found.usd_per_hour == 0.5
    assert found.note == "less 40 % of a Savings Plan"


@pytest.mark.parametrize("discount_percent", [1.0, 20.0, 64.0])
def test_at_the_break_even_hours_the_plan_costs_what_on_demand_does(discount_percent: float) -> None:
    found = cost(discount_percent, instances=1)

    assert found.savings_plan_break_even_hours is not None
    on_demand = 0.5 * found.savings_plan_break_even_hours
    assert on_demand == pytest.approx(found.usd_per_month)


def test_what_is_not_known_is_neither_zero_nor_discounted() -> None:
    found = endpoint_cost(UNPRICED.price(NAME, Usage.HOSTING), 2, discount_percent=40)

    assert (found.usd_per_hour, found.usd_per_month) == (None, None)
    assert found.basis is PriceBasis.UNKNOWN
    assert found.savings_plan_break_even_hours is None


def test_a_published_price_less_a_spot_discount_is_an_estimate() -> None:
    price = PRICED.price(NAME, Usage.TRAINING)

    assert job_cost(price, 10.0, discounted=False).basis is PriceBasis.PUBLISHED
    assert job_cost(price, 10.0, discounted=True).basis is PriceBasis.ESTIMATED
    unknown = UNPRICED.price(NAME, Usage.TRAINING)
    assert job_cost(unknown, None, discounted=True).basis is PriceBasis.UNKNOWN


def test_the_unknown_comes_last() -> None:
    unknown = endpoint_cost(UNPRICED.price(NAME, Usage.HOSTING), 1)

    estimate = select_endpoint_instance(endpoint(), PRICED).chosen.estimate
    order = partial(cost_order, estimate=estimate)

    assert sorted([unknown, cost(), cost(40)], key=order) == [cost(40), cost(), unknown]


def test_the_configured_plan_reaches_the_selection_and_its_assumptions() -> None:
    plain, planned = (
        select_endpoint_instance(endpoint(savings_plan_discount_pct=discount), PRICED)
        for discount in (0.0, 25.0)
    )

    assert planned.chosen.cost.usd_per_month == pytest.approx(0.75 * (plain.chosen.cost.usd_per_month or 0))
    assert planned.chosen.cost.savings_plan_break_even_hours == pytest.approx(0.75 * 730)
    assert "a Savings Plan takes 25 % off every hour" in planned.assumptions
    assert not any("Savings Plan" in line for line in plain.assumptions)


def test_a_plan_makes_training_cheaper_too() -> None:
    known = catalog(gpu_instance(), usd_per_hour={"ml.g9.xlarge": 1.0})

    plain, planned = (
        select_training_instance(training(savings_plan_discount_pct=discount), known).chosen.estimate
        for discount in (0.0, 25.0)
    )

    assert plain.usd_per_run
    assert planned.usd_per_run == pytest.approx(0.75 * plain.usd_per_run)


def test_a_plan_reaches_trainings_on_demand_and_says_so() -> None:
    known = catalog(gpu_instance(), usd_per_hour={"ml.g9.xlarge": 1.0})
    plain, planned = (
        select_training_instance(training(savings_plan_discount_pct=discount), known)
        for discount in (0.0, 25.0)
    )

    assert planned.chosen.cost.usd_per_month == pytest.approx(0.75 * (plain.chosen.cost.usd_per_month or 0))
    assert planned.chosen.cost.note == "less 25 % of a Savings Plan"
    assert planned.chosen.cost.savings_plan_break_even_hours == pytest.approx(0.75 * 730)
    assert "a Savings Plan takes 25 % off every hour on demand" in planned.assumptions
    assert plain.chosen.cost.note == ""
