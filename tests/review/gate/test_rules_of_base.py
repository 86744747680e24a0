"""Waivers and approvals: what base says, on the day of the review."""

from pathlib import Path
from typing import Any

import pytest

from sizewell.review.compare import with_gate
from sizewell.review.gate import GateSyntaxError
from sizewell.review.model import Approval, Resources, Review, WaivedFinding
from sizewell.review.saved.output import Assembly, SavedOutput
from tests.review.gate.test_apply import cost, hazard, resource, review

FOUND = "prod: s/Bucket (AWS::S3::Bucket) is replaced"


def output(**policy: Any) -> SavedOutput:
    config = {"schema_version": 1, "environment": {"policy": policy}}
    return SavedOutput("side", {"prod": Assembly(Path("x"), "prod", {}, config=config)}, {})


def waiver(**given: Any) -> dict[str, Any]:
    return {"of": "replace", "subject": "s/Bucket", "reason": "planned", "until": "2027-01-31"} | given


def gated(
    *waivers: dict[str, Any],
    date: str | None = "2027-01-31",
    conditions: str = "replace",
    given: Review | None = None,
) -> tuple[dict[str, str], tuple[WaivedFinding, ...]]:
    replaced = given or review(resources=Resources(changes=(resource("replaced"),)))
    gate = with_gate(replaced, [conditions], output(review_waivers=list(waivers)), output(), date=date).gate
    assert gate
    return {failure.condition: failure.reason for failure in gate.failures}, gate.waived


def test_a_waived_finding_stops_nothing_and_is_told() -> None:
    waived = WaivedFinding(condition="replace", finding=FOUND, reason="planned", until="2027-01-31")
    assert gated(waiver()) == ({}, (waived,))


@pytest.mark.parametrize(
    ("date", "remark"),
    [
        ("2027-02-01", "its waiver ended on 2027-01-31"),
        (None, "waived until 2027-01-31, which counts only with --date"),
    ],
)
def test_a_waiver_that_has_ended_or_whose_day_nobody_says_counts_no_more(
    date: str | None, remark: str
) -> None:
    assert gated(waiver(), date=date) == ({"replace": f"{FOUND} ({remark})"}, ())


def test_of_several_waivers_the_one_that_ends_last_counts() -> None:
    assert gated(waiver(until="2020-01-01"), waiver(), waiver(until="2021-01-01"))[0] == {}


@pytest.mark.parametrize(
    "other", [{"of": "replace-stateful"}, {"subject": "s/Key"}, {"of": "hazard:alarm-removed"}]
)
def test_a_waiver_is_of_one_condition_and_one_subject(other: dict[str, str]) -> None:
    assert gated(waiver(**other)) == ({"replace": FOUND}, ())


def test_a_waiver_of_a_hazard_counts_for_every_condition_that_it_meets() -> None:
    both = review(hazards=(hazard("danger"), hazard("danger", rule="alarm-silenced")))
    failures, waived = gated(
        waiver(of="hazard:alarm-removed", subject="the alarm"), conditions="danger,hazard", given=both
    )
    assert failures == dict.fromkeys(("danger", "hazard"), "prod: the alarm: is gone (alarm-silenced)")
    assert [one.condition for one in waived] == ["danger", "hazard"]


def test_a_waiver_of_a_cost_is_of_its_limit() -> None:
    twice = cost(100.0, 200.0)
    assert (
        gated(waiver(of="cost-increase>10%", subject="prod"), conditions="cost-increase>10.0%", given=twice)[
            0
        ]
        == {}
    )
    assert gated(waiver(of="cost-increase>10%", subject="prod"), conditions="cost-increase>5%", given=twice)[
        0
    ]


def test_a_change_cannot_waive_itself_or_spare_itself_an_approval() -> None:
    replaced = review(resources=Resources(changes=(resource("replaced"), resource("replaced"))))
    base = output(
        review_fail_on=["replace"], review_approvals=[{"of": "replace", "by": ["ada", "company/owners"]}]
    )
    head = output(review_waivers=[waiver()])
    found = with_gate(replaced, (), base, head, date="2027-01-01")
    assert found.gate
    assert [failure.condition for failure in found.gate.failures] == ["replace@prod"]
    assert found.approvals == (
        Approval(condition="replace@prod", by=("ada", "company/owners"), findings=(FOUND, FOUND)),
    )


def test_an_approval_is_needed_where_the_condition_is_met_also_without_a_gate() -> None:
    base = output(review_approvals=[{"of": "replace", "by": ["ada"]}])
    assert with_gate(review(), (), base, output()).approvals == ()
    replaced = review(resources=Resources(changes=(resource("replaced"),)))
    found = with_gate(replaced, (), base, output())
    assert (found.gate, len(found.approvals)) == (None, 1)


@pytest.mark.parametrize("side", ["base", "head"])
def test_a_rule_that_does_not_exist_is_told_on_both_sides(side: str) -> None:
    wrong = output(
        review_waivers=[waiver(of="hazard:alarm-remved")], review_approvals=[{"of": "hazard:x", "by": ["a"]}]
    )
    sides = (wrong, output()) if side == "base" else (output(), wrong)
    with pytest.raises(GateSyntaxError) as raised:
        with_gate(review(), (), *sides)
    first, second = raised.value.faults
    assert first.startswith(
        "hazard:alarm-remved@prod: there is no rule of that name, did you mean alarm-removed?"
    )
    assert second.startswith("hazard:x@prod: there is no rule of that name")
