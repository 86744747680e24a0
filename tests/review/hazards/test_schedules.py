from typing import Any

import pytest

from tests.review.builders import resource, template
from tests.review.hazards.apps import described, hazards, hazards_of, moving, rules, text

TOPIC = resource("AWS::SNS::Topic")


def app(type_: str = "AWS::Scheduler::Schedule", **properties: Any) -> dict[str, Any]:
    given = {"ScheduleExpression": "cron(0 2 ? * SAT *)", **properties}
    return template(Weekly=resource(type_, given), Topic=TOPIC)


def test_other_times() -> None:
    assert described(hazards(app(), app(ScheduleExpression="cron(0 4 ? * SAT *)"))) == text("""
        notice schedule-changed, dev/app-stack/Weekly: schedule Weekly
        ScheduleExpression cron(0 2 ? * SAT *) → cron(0 4 ? * SAT *)
        The schedule starts its target at other times.
        Tell those who wait for the results, and make sure that the new times do not overlap with other runs.
        """)


@pytest.mark.parametrize("same", ["cron(0 2 ? * 7 *)", "cron(0 2 ? * sat *)"])
def test_other_words_for_the_same_times(same: str) -> None:
    assert hazards(app(), app(ScheduleExpression=same)) == ()


def test_more_often() -> None:
    assert described(hazards(app(), app(ScheduleExpression="rate(12 hours)"))) == text("""
        warning schedule-changed, dev/app-stack/Weekly: schedule Weekly
        ScheduleExpression cron(0 2 ? * SAT *) → rate(12 hours)
        The schedule starts its target 14 times as often, and each run is paid for.
        Tell those who wait for the results, and make sure that the new times do not overlap with other runs.
        """)


@pytest.mark.parametrize("type_", ["AWS::Scheduler::Schedule", "AWS::Events::Rule"])
def test_a_schedule_that_is_disabled(type_: str) -> None:
    (found,) = hazards(app(type_), app(type_, State="DISABLED"))
    assert (found.cause, found.consequence) == (
        "State ENABLED → DISABLED",
        "The schedule no longer starts anything.",
    )


def test_a_schedule_that_was_disabled() -> None:
    off = app(State="DISABLED")
    (found,) = hazards(off, app())
    assert (found.cause, found.consequence) == (
        "State DISABLED → ENABLED",
        "The schedule starts its target from now on.",
    )
    (found,) = hazards(off, app(State="DISABLED", ScheduleExpression="cron(0 4 ? * SAT *)"))
    assert found.consequence == "The schedule starts nothing."


def test_a_schedule_that_is_gone() -> None:
    assert described(hazards(app(), template(Topic=TOPIC))) == text("""
        warning schedule-changed, dev/app-stack/Weekly: schedule Weekly
        ScheduleExpression cron(0 2 ? * SAT *) → none
        The schedule no longer starts anything.
        Tell those who wait for the results.
        """)
    assert hazards(template(Topic=TOPIC), app()) == ()


@pytest.mark.parametrize(("kind", "expected"), [("eks-job", []), ("training-job", ["schedule-changed"])])
def test_a_workload_that_moves_is_started_where_it_runs(kind: str, expected: list[str]) -> None:
    moved = moving((app(), "training-job"), (template(Topic=TOPIC), kind))
    assert rules(hazards_of(moved, theme="schedules")) == expected


def test_the_same_schedule_under_another_logical_id_is_not_gone() -> None:
    base, head = app(), app()
    head["Resources"]["Other"] = head["Resources"].pop("Weekly")
    assert hazards(base, head) == ()


def test_what_is_spelt_out_or_does_not_matter() -> None:
    assert hazards(app(), app(State="ENABLED", ScheduleExpressionTimezone="UTC", Description="x")) == ()


def test_a_rule_without_times() -> None:
    def rule(state: str) -> dict[str, Any]:
        return template(Rule=resource("AWS::Events::Rule", {"EventPattern": {}, "State": state}))

    assert hazards(rule("ENABLED"), rule("DISABLED"), theme="schedules") == ()
