"""The sentences of an explanation."""

from dataclasses import replace
from pathlib import Path

import pytest

from sizewell.cli.endpoint_words import engine_line
from sizewell.cli.explain_chart import draw_chart
from sizewell.cli.explain_words import (
    cheaper_line,
    counterfactual_notes,
    counterfactual_rows,
    decision_line,
    facts,
    front_line,
    list_title,
    lock_line,
    measured_line,
    savings_plan_line,
    warnings,
)
from sizewell.cli.explanation import AnyCounterfactual
from sizewell.cli.kind import AssumedEngine, same_image_words
from sizewell.instance_selection import Engine, Objective, Rejection
from sizewell.instance_selection.counterfactuals import Change, Counterfactual
from tests.cli.explanations import explained, lock
from tests.instance_selection.candidates import job, selection, serving

A, B, C = "ml.m5.xlarge", "ml.m6i.xlarge", "ml.p3.2xlarge"
COST, LATENCY = Objective.LEAST_COST, Objective.LEAST_LATENCY


@pytest.mark.parametrize(
    ("winner", "runner_up", "objective", "line"),
    [
        ((15, 90), (20, 50), COST, f"before {B}: cheaper by 5.00 USD per month (25%)"),
        ((15, 90), (None, 50), COST, f"before {B}: its price is unknown"),
        ((15, 50), (15, 90), COST, f"before {B}: at the same cost, faster, p95 50 ms instead of p95 90 ms"),
        ((None, 50), (None, 90), COST, f"before {B}: no price is known for either, faster, "),
        ((15, 50.1), (15, 50.2), COST, f"before {B}: at the same cost, as fast (p95 50 ms)"),
        ((15, 50), (15.001, 40), COST, f"before {B}: cheaper by less than a cent per month"),
        ((20, 50.1), (15, 50.2), LATENCY, f"before {B}: as fast (p95 50 ms), at 5.00 USD per"),
        ((15, 50), (15, 50), COST, f"before {B}: equal in cost and time, the first by name"),
        ((20, 50), (15, 90), LATENCY, f"before {B}: faster, p95 50 ms instead of p95 90 ms, at 5.00 USD per"),
        ((15, 50), (20, 50), LATENCY, f"before {B}: cheaper by 5.00 USD per month (25%) and as fast"),
    ],
)
def test_what_decided(
    winner: tuple[float | None, float], runner_up: tuple[float | None, float], objective: Objective, line: str
) -> None:
    told = explained(selection(serving(A, *winner), serving(B, *runner_up)), objective=objective)
    assert decision_line(told).startswith(line)


def test_no_runner_up() -> None:
    told = explained(selection(serving(A, 15, 90)))
    assert decision_line(told) == "no other type meets every requirement"


@pytest.mark.parametrize(
    ("free", "end"),
    [
        ((15, 90), "which would cost 5.00 USD per month less"),
        ((20, 40), "which would cost the same and take p95 40 ms"),
    ],
)
def test_locked_pick_is_never_said_to_be_the_cheaper_one(free: tuple[float, float], end: str) -> None:
    told = explained(selection(serving(A, 20, 90), serving(B, *free)), lock=lock("locked", A, B, 5))
    assert decision_line(told) == f"kept by the lock before {B}, {end}"
    assert list_title(told) == "Meets every requirement: the locked type, then cheapest first"


def test_locked_pick_without_a_price() -> None:
    told = explained(selection(serving(A, None, 90), serving(B, 20, 90)))
    assert decision_line(told) == (
        f"kept by the lock before {B}, which would be the pick without it; a price is unknown"
    )


def test_title_says_the_order_of_the_list() -> None:
    best = selection(serving(A, 10, 90), serving(B, 20, 95))
    assert list_title(explained(best)) == "Meets every requirement, cheapest first"
    assert list_title(explained(best, objective=LATENCY)) == "Meets every requirement, fastest first"
    # A lock on what is best anyway changes nothing.
    assert list_title(explained(best, lock=lock("locked", A, A))) == list_title(explained(best))


def test_pick_near_its_limits_says_how_far_it_may_miss() -> None:
    serves = serving(A, 10, 90, latency_range_ms=(60.0, 130.0), near_limits=("latency", "memory"))
    assert warnings(explained(selection(serves))) == [
        "near its limit: latency, p95 may reach 130 ms, 100 ms asked",
        "near its limit: memory, 70% of what is usable",
    ]
    trains = job(A, 10, 8, duration_range_hours=(6.0, 13.0), near_limits=("deadline",))
    assert warnings(explained(selection(trains), bound=12)) == [
        "near its limit: deadline, a run may take 13.0 h, 12 h asked"
    ]
    assert warnings(explained(selection(serving(A, 10, 90)))) == []


def test_a_pick_that_nothing_predicts_says_how_to_measure_it() -> None:
    serves = serving(A, 10, 90, latency_range_ms=(20.0, 500.0), not_predicted=("latency",))
    (warning,) = warnings(explained(selection(serves)))
    assert warning == (
        "not predicted: latency, p95 may reach 500 ms, 100 ms asked; measure it: sizewell measure support-bert --env prod "
        "--payload FILE"
    )
    (warning,) = warnings(replace(explained(selection(serves)), directory=Path("my config")))
    assert warning.endswith(" --payload FILE --config 'my config'")
    (warning,) = warnings(explained(selection(serves), asynchronous=True))
    assert warning.endswith(" --payload FILE --url http://HOST/PATH")
    (warning,) = warnings(explained(selection(serves), name="support-bert/other"))
    assert warning.endswith(" 100 ms asked")
    trains = job(A, 10, 8, duration_range_hours=(1.0, 130.0), not_predicted=("deadline",))
    (warning,) = warnings(explained(selection(trains), bound=12))
    assert "run it once" in warning


def test_range_stands_beside_what_is_predicted_and_not_beside_what_is_measured() -> None:
    predicted = serving(A, 10, 9_000, latency_range_ms=(6_000.0, 12_000.0))
    assert "p95 at peak: 9.00 s (6.0-12.0 s), 100 ms asked" in facts(explained(selection(predicted)))[1]
    measured = explained(selection(serving(A, 10, 90, measured=("latency", "memory"))))
    assert "p95 at peak: 90 ms, 100 ms asked" in facts(measured)[1]
    assert measured_line(measured) == "measured: latency, memory"
    assert measured_line(explained(selection(predicted))) is None
    trains = explained(selection(job(A, 10, 8, duration_range_hours=(6.0, 13.0))), bound=24)
    assert "8.0 h (6.0-13.0 h), 24 h asked; 10 USD per run" in facts(trains)


def test_more_expensive_and_faster_types_are_the_front_without_the_pick() -> None:
    many = [serving(f"ml.t{i}.xlarge", 10 + i, 90 - i) for i in range(6)]
    told = explained(selection(*many, serving("ml.slow.xlarge", 99, 99)))
    assert front_line(told) == (
        "more expensive and faster: ml.t1.xlarge (p95 89 ms, 11 USD), ml.t2.xlarge (p95 88 ms, 12 USD), "
        "ml.t3.xlarge (p95 87 ms, 13 USD), 2 more"
    )
    assert front_line(explained(selection(many[0], serving(B, 20, 95)))) is None


@pytest.mark.parametrize(
    ("pick", "others", "objective", "line"),
    [
        ((20, 50), [(10, 90)], LATENCY, f"cheaper and slower: {B} (p95 90 ms, 10 USD)"),
        ((20, 50), [(30, 40)], COST, f"more expensive and faster: {B} (p95 40 ms, 30 USD)"),
        ((20, 50), [(10, 40)], COST, f"cheaper and faster: {B} (p95 40 ms, 10 USD)"),
        ((20, 50), [(20, 40)], COST, f"as expensive and faster: {B} (p95 40 ms, 20 USD)"),
        ((20, 50), [(10, 50)], COST, f"cheaper and as fast: {B} (p95 50 ms, 10 USD)"),
        (
            (20, 50),
            [(10, 90), (30, 40)],
            LATENCY,
            f"cheaper and slower: {B} (p95 90 ms, 10 USD); more expensive and faster: {C} ",
        ),
        ((None, 50), [(30, 40)], COST, f"of known price and faster: {B} (p95 40 ms, 30 USD)"),
    ],
)  # fmt: skip
def test_the_front_is_told_as_it_lies_to_the_pick(
    pick: tuple[float | None, float], others: list[tuple[float, float]], objective: Objective, line: str
) -> None:
    second = [serving(name, *other) for name, other in zip((B, C), others, strict=False)]
    told = front_line(explained(selection(serving(A, *pick), *second), objective=objective))
    assert told is not None
    assert told.startswith(line)


def test_nearest_cheaper_type_is_named_with_its_miss() -> None:
    miss = Rejection(instance_type=A, filter="latency", reason="p95 of 123 ms, 100 ms asked", shortfall=1.23)
    told = explained(selection(serving(C, 99_000, 90), rejected=(miss,)))
    assert cheaper_line(told) == (
        f"cheaper by the hour, but not {A}: latency: p95 of 123 ms, 100 ms asked (1.23 times)"
    )
    assert cheaper_line(explained(selection(serving(C, 99_000, 90)))) is None


def test_lock_pools_and_savings_plan() -> None:
    best = selection(serving(A, 10, 90))
    assert lock_line(explained(best)) is None
    assert lock_line(explained(best, lock=lock("locked", A, A))) == "lock: followed"
    assert "run: sizewell lock" in (lock_line(explained(best, lock=lock("stale", A, A))) or "")
    assert lock_line(explained(best, lock=lock("infeasible", B, A))) == (
        f"lock: not followed: {B} cannot be used (memory: too small)"
    )
    assert same_image_words(explained(best).workload) is None
    assert same_image_words(explained(best, instance_pools=(A, B, C)).workload) == (
        f"without capacity, on the same image: {B}, {C}"
    )
    assert savings_plan_line(explained(best)) is None
    cost = best.chosen.cost.model_copy(update={"savings_plan_break_even_hours": 511.0})
    planned = best.model_copy(update={"chosen": best.chosen.model_copy(update={"cost": cost})})
    assert savings_plan_line(explained(planned)) == ("the Savings Plan pays from 511 hours of use in a month")


def test_the_bound_that_decides_is_what_candidates_are_shown_by() -> None:
    tokens = {"p99_latency_ms": 120.0, "time_to_first_token_ms": 60.0, "decisive_bound": "inter-token"}
    fast = serving(B, 20, 80, **tokens, inter_token_ms=9.0)
    told = explained(
        selection(serving(A, 10, 90, **tokens, inter_token_ms=18.0), fast),
        bound=20,
        asked_ms={"latency": 100, "p99": 130, "inter-token": 20},
    )

    said = facts(told)
    assert said[1].endswith("p95 at peak: 90 ms, 100 ms asked")
    assert said[2] == (
        "p99 at peak: 120 ms, 130 ms asked; time to first token at peak: 60 ms; "
        "time between tokens at peak: 18 ms, 20 ms asked"
    )
    assert said[3] == "the time between tokens decides: it leaves the least room"
    assert front_line(told) == f"more expensive and faster: {B} (per token 9.0 ms, 20 USD)"
    chart = draw_chart(told)
    assert chart is not None
    assert chart.bound_y < min(point.y for point in chart.points)


def test_near_a_bound_the_range_is_in_proportion() -> None:
    near = serving(
        A,
        10,
        90,
        latency_range_ms=(60.0, 135.0),
        p99_latency_ms=100.0,
        near_limits=("p99",),
        decisive_bound="p99",
    )
    told = explained(selection(near), asked_ms={"latency": 200, "p99": 140})

    assert warnings(told) == ["near its limit: p99, p99 may reach 150 ms, 140 ms asked"]


def test_what_was_measured_on_a_sibling_is_said() -> None:
    told = explained(selection(serving(A, 10, 90, scaled_by=(B,))))

    assert measured_line(told) == f"scaled by what was measured on {B}"
    assert f"scaled by what was measured on {B}" in told.marks(told.workload.selection.chosen)


MISS = Rejection(
    instance_type=C, filter="throughput", reason="4 instances carry the peak, at most 2 are allowed"
)


def otherwise(
    name: str,
    usd_per_month: float | None = 20,
    saving: float | None = 0,
    changes: bool = True,
    miss: Rejection | None = None,
    assumption: str = "",
) -> AnyCounterfactual:
    """Return what a change makes of the pick: another type, or nothing that will do."""
    pick = None if miss else serving(B, usd_per_month, 80)
    return Counterfactual(Change(name, name, 1, assumption), pick, miss, saving, changes_pick=changes)


def test_each_changed_need_says_what_it_saves_or_costs() -> None:
    told = explained(
        selection(serving(A, 50, 90)),
        counterfactuals=(
            otherwise("cheaper", 20, 30),
            otherwise("more expensive", 75, -25),
            otherwise("equal", 50, 0),
            otherwise("unpriced", None, None),
            otherwise("idle", changes=False),
            otherwise("hard", miss=MISS, saving=None),
        ),
    )
    pick = (f"1 x {B}", "p95 80 ms")
    assert counterfactual_rows(told) == [
        ("cheaper", *pick, "20", "30 less (60%)"),
        ("more expensive", *pick, "75", "25 more"),
        ("equal", *pick, "50", "the same"),
        ("unpriced", *pick, "unknown", "unknown"),
    ]
    assert counterfactual_notes(told) == [
        "no change: idle",
        f"hard: nothing meets the needs; the nearest, {C}: throughput: {MISS.reason}",
    ]
    assert counterfactual_notes(explained(selection(serving(A, 50, 90)))) == []


def test_notes_say_what_is_assumed_of_a_change() -> None:
    plan = otherwise("a Savings Plan", assumption="assumed")
    measured = selection(serving(A, 50, 90, measured=("latency",)), serving(B, 10, 90))
    told = explained(
        measured,
        engine=AssumedEngine(Engine.EAGER, stated=False),
        counterfactuals=(plan,),
        lock=lock("locked", A, B),
    )
    assert counterfactual_notes(told) == [
        "a Savings Plan: assumed",
        "another engine needs an image that has it",
        "int8, fp8 and int4 are not tried: eager needs a library for them, and no image says that it has one",
        "what was measured says nothing of another engine or number format",
        f"the difference is to {B}, the pick without the lock",
    ]
    llm = AssumedEngine(Engine.LLM_ENGINE, stated=True)
    told = explained(selection(serving(A, 50, 90)), engine=llm, counterfactuals=(plan,))
    assert "fewer bits may change the answers" in counterfactual_notes(told)


@pytest.mark.parametrize(
    ("stated", "line"), [(True, "engine: eager"), (False, "engine: eager, which is assumed: none is stated")]
)
def test_engine_says_whether_anybody_stated_it(stated: bool, line: str) -> None:
    told = explained(selection(serving(A, 50, 90)), engine=AssumedEngine(Engine.EAGER, stated=stated))
    assert engine_line(told) == [line]
    assert facts(told)[0] == line


def test_a_training_on_cpus_speaks_of_the_host() -> None:
    lines = facts(explained(selection(job(A, 15, 2, accelerator_count=0)), bound=4))
    assert lines[:2] == [
        "memory: 7.0 of 10.0 GiB usable on the host",
        "1 instance: 1,000 examples or tokens per second",
    ]
