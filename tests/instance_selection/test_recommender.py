"""The front for people who know the size of a model and nothing else."""

import math
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sizewell.instance_selection import (
    Catalog,
    EndpointEstimate,
    NoFeasibleInstanceError,
    load_catalog,
)
from sizewell.instance_selection.estimation.hardware import hardware_kind
from sizewell.instance_selection.recommender import (
    MAX_PARAMETERS,
    AnyCandidate,
    Budget,
    Recommendation,
    Task,
    recommend,
)

SIZES = (110e6, 340e6, 1e9, 7e9, 13e9, 70e9)


@pytest.fixture(scope="module")
def known() -> Catalog:
    return load_catalog("us-east-1")


@pytest.fixture(scope="module")
def recommended(known: Catalog) -> Callable[[float, Task, Budget], Recommendation]:
    made: dict[tuple[float, Task, Budget], Recommendation] = {}

    def get(parameters: float, task: Task, budget: Budget) -> Recommendation:
        key = (parameters, task, budget)
        if key not in made:
            made[key] = recommend(*key, known)
        return made[key]

    return get


def time(candidate: AnyCandidate) -> float:
    estimate = candidate.estimate
    return estimate.p95_latency_ms if isinstance(estimate, EndpointEstimate) else estimate.duration_hours


def cost(candidate: AnyCandidate) -> float:
    assert candidate.cost.usd_per_month is not None
    return candidate.cost.usd_per_month


Recommended = Callable[[float, Task, Budget], Recommendation]


@pytest.mark.parametrize("parameters", SIZES, ids=lambda p: f"{p:g}")
@pytest.mark.parametrize("task", Task)
def test_each_budget_is_best_at_what_it_asks_for(
    recommended: Recommended, parameters: float, task: Task
) -> None:
    cheapest, balanced, fastest = (recommended(parameters, task, budget).chosen for budget in Budget)
    assert cost(cheapest) <= min(cost(balanced), cost(fastest))
    assert time(fastest) <= min(time(cheapest), time(balanced))
    product = cost(balanced) * time(balanced)
    assert product <= min(cost(cheapest) * time(cheapest), cost(fastest) * time(fastest))


@pytest.mark.parametrize("task", Task)
def test_budgets_order_the_same_candidates(recommended: Recommended, task: Task) -> None:
    names = [
        {c.instance_type for c in (r.chosen, *r.runners_up)}
        for r in (recommended(7e9, task, budget) for budget in Budget)
    ]
    assert names[0] == names[1] == names[2]


@pytest.mark.parametrize("budget", Budget)
@pytest.mark.parametrize("task", Task)
def test_a_type_without_a_price_is_never_recommended(
    recommended: Recommended, task: Task, budget: Budget
) -> None:
    found = recommended(70e9, task, budget)
    priced = [c.cost.usd_per_month is not None for c in (found.chosen, *found.runners_up)]
    assert priced == sorted(priced, reverse=True)
    assert priced[0]


def test_large_models_train_on_several_accelerators(recommended: Recommended) -> None:
    chosen = recommended(70e9, Task.TRAINING, Budget.COST_OPTIMIZED).chosen
    assert not isinstance(chosen.estimate, EndpointEstimate)
    assert chosen.estimate.accelerator_count >= 8
    assert chosen.estimate.memory.fits


def test_every_default_is_stated(recommended: Recommended) -> None:
    lines = " ".join(recommended(7e9, Task.INFERENCE, Budget.BALANCED).assumptions)
    for part in ("decoder of 33 layers", "bf16", "8 users", "512 tokens", "30 s", "every kind of hardware"):
        assert part in lines
    lines = " ".join(recommended(7e9, Task.TRAINING, Budget.BALANCED).assumptions)
    for part in ("all weights", "100 million tokens", "2048", "7 days", "8 instances"):
        assert part in lines


def test_the_kind_of_image_is_that_of_the_pick(recommended: Recommended, known: Catalog) -> None:
    for parameters in SIZES:
        found = recommended(parameters, Task.TRAINING, Budget.PERFORMANCE)
        assert found.hardware is hardware_kind(known.get(found.chosen.instance_type))
        assert known.get(found.chosen.instance_type).accelerator_count


@pytest.mark.parametrize("parameters", [0.0, -7e9, 1e18, math.inf, math.nan])
def test_a_size_that_no_model_has(known: Catalog, parameters: float) -> None:
    with pytest.raises(ValueError, match="parameters: a model has more than 0 and at most 1e"):
        recommend(parameters, Task.TRAINING, Budget.BALANCED, known)


@given(parameters=st.floats(1.0, MAX_PARAMETERS), task=st.sampled_from(Task), budget=st.sampled_from(Budget))
@settings(max_examples=20)
def test_what_is_recommended_holds_the_model(
    known: Catalog, parameters: float, task: Task, budget: Budget
) -> None:
    try:
        memory = recommend(parameters, task, budget, known).chosen.estimate.memory
    except NoFeasibleInstanceError:
        memory = None
    assert memory is None or memory.fits
