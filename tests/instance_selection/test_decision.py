"""What decided between the winner and the runner-up, and which cheaper type came nearest."""

import pytest

from sizewell.instance_selection import Catalog, Objective, Rejection
from sizewell.instance_selection.decision import DecidedBy, decide
from tests.instance_selection.builders import catalog, cpu_instance
from tests.instance_selection.candidates import job, selection, serving

A, B, C, D = "ml.c9.xlarge", "ml.c9.2xlarge", "ml.c9.4xlarge", "ml.c9.8xlarge"
LATENCY = Objective.LEAST_LATENCY


@pytest.fixture(scope="module")
def known() -> Catalog:
    return catalog(
        *(cpu_instance(name) for name in (A, B, C, D)), usd_per_hour={A: 0.01, B: 0.02, C: 0.005, D: 9}
    )


@pytest.mark.parametrize(
    ("winner", "runner_up", "objective", "by"),
    [
        ((10, 90), (20, 50), Objective.LEAST_COST, DecidedBy.COST),
        ((10, 90), (None, 50), Objective.LEAST_COST, DecidedBy.KNOWN_PRICE),
        ((10, 50), (10, 90), Objective.LEAST_COST, DecidedBy.TIME),
        ((None, 50), (None, 90), Objective.LEAST_COST, DecidedBy.TIME),
        ((20, 90), (10, 95), Objective.LEAST_COST, DecidedBy.LOCK),
        ((10, 90), (10, 50), Objective.LEAST_COST, DecidedBy.LOCK),
        ((None, 50), (10, 90), Objective.LEAST_COST, DecidedBy.LOCK),
        ((20, 50), (10, 90), LATENCY, DecidedBy.TIME),
        ((10, 50), (20, 50), LATENCY, DecidedBy.COST),
        ((10, 90), (20, 50), LATENCY, DecidedBy.LOCK),
    ],
)
def test_what_decides(
    known: Catalog,
    winner: tuple[float | None, float],
    runner_up: tuple[float | None, float],
    objective: Objective,
    by: DecidedBy,
) -> None:
    decision = decide(selection(serving(A, *winner), serving(B, *runner_up)), known, objective)
    assert (decision.by, decision.runner_up) == (by, B)


def test_names_decide_between_equals_and_a_lock_against_them(known: Catalog) -> None:
    first, second = sorted((A, B))
    assert decide(selection(serving(first, 9, 9), serving(second, 9, 9)), known).by is DecidedBy.NAME
    assert decide(selection(serving(second, 9, 9), serving(first, 9, 9)), known).by is DecidedBy.LOCK


def test_difference_is_what_the_runner_up_costs_more_and_how_much_slower_it_is(known: Catalog) -> None:
    decision = decide(selection(job(A, 30, 4), job(B, 25, 6)), known)
    assert decision.runner_up_more_usd_per_month == -5
    assert decision.runner_up_time_ratio == 1.5
    unknown = decide(selection(job(A, 30, 4), job(B, None, 6)), known)
    assert unknown.runner_up_more_usd_per_month is None


def test_no_runner_up_is_no_decision(known: Catalog) -> None:
    decision = decide(selection(serving(A, 10, 90)), known)
    assert decision.by is DecidedBy.NO_OTHER
    assert decision.runner_up is None
    assert decision.runner_up_more_usd_per_month is None
    assert decision.runner_up_time_ratio is None


def rejected(name: str, filter_name: str, shortfall: float | None) -> Rejection:
    return Rejection(instance_type=name, filter=filter_name, reason="too little", shortfall=shortfall)


def test_nearest_cheaper_type_is_the_one_that_missed_by_the_least(known: Catalog) -> None:
    # The winner costs 0.03 by the hour: D is more expensive, though it missed by less.
    misses = (rejected(A, "memory", 1.5), rejected(B, "latency", 1.2), rejected(D, "latency", 1.01))
    nearest = decide(selection(serving(C, 30, 90), rejected=misses), known).nearest_cheaper
    assert nearest is not None
    assert (nearest.instance_type, nearest.usd_per_hour, nearest.shortfall) == (B, 0.02, 1.2)


def test_types_that_no_need_has_rejected_are_not_near(known: Catalog) -> None:
    misses = (rejected(A, "image", None), rejected(B, "policy", None))
    assert decide(selection(serving(C, 30, 90), rejected=misses), known).nearest_cheaper is None
    unpriced = selection(serving(C, None, 90), rejected=(rejected(A, "memory", 2),))
    assert decide(unpriced, known).nearest_cheaper is None
