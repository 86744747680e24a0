from typing import Any

import pytest

from sizewell.review.comparison import EnvironmentPair
from tests.review.builders import assembly
from tests.review.hazards.apps import described, hazards_of, text

STRICT = {
    "production": True,
    "nag_packs": ["aws-solutions", "pci-dss"],
    "review_fail_on": ["danger"],
    "min_endpoint_instances": 2,
    "min_availability_zones": 2,
    "budget_usd_per_month": 8000.0,
}


def environment(base: dict[str, Any], head: dict[str, Any]) -> EnvironmentPair:
    sides = [
        assembly(environment="dev", config={"schema_version": 1, "environment": {"policy": policy}})
        for policy in (base, head)
    ]
    return EnvironmentPair("dev", sides[0], sides[1])


def causes(base: dict[str, Any], head: dict[str, Any]) -> list[str]:
    found = hazards_of(environment(base, head))
    assert {(hazard.rule, hazard.severity, hazard.stack) for hazard in found} <= {
        ("guardrail-loosened", "warning", "")
    }
    return [hazard.cause for hazard in found]


def test_an_environment_that_is_production_no_longer() -> None:
    assert described(hazards_of(environment(STRICT, {**STRICT, "production": False}))) == text("""
        warning guardrail-loosened, dev/-/-: policy of dev
        production true → false: one instance in one zone is allowed
        This change alone may do nothing else. But the environment now allows what it refused until now.
        Let an owner of the environment approve it, apart from any change that needs it.
        """)


@pytest.mark.parametrize(
    ("key", "value", "cause"),
    [
        ("production", False, "production true → false: one instance in one zone is allowed"),
        ("nag_packs", ["aws-solutions"], "nag_packs without pci-dss: their findings no longer stop synth"),
        (
            "review_fail_on",
            [],
            "review_fail_on without danger: a review no longer stops the next change for that",
        ),
        ("min_endpoint_instances", 1, "min_endpoint_instances 2 → 1"),
        ("min_availability_zones", 1, "min_availability_zones 2 → 1"),
        ("budget_usd_per_month", 9000.0, "budget 8,000 → 9,000 USD per month"),
        ("budget_usd_per_month", None, "budget 8,000 → none USD per month"),
    ],
)
def test_a_rule_that_holds_less_is_told(key: str, value: Any, cause: str) -> None:
    assert causes(STRICT, {**STRICT, key: value}) == [cause]
    assert causes({**STRICT, key: value}, STRICT) == [], "the other way round it holds more"


def waiver(until: str, subject: str = "the bucket") -> dict[str, Any]:
    return {"of": "replace", "subject": subject, "reason": "planned", "until": until}


@pytest.mark.parametrize(
    ("base", "head", "told"),
    [
        ([], [waiver("2027-01-31")], "replace of the bucket until 2027-01-31"),
        ([waiver("2027-01-31")], [waiver("2027-02-28")], "replace of the bucket until 2027-02-28"),
        (
            [waiver("2027-01-31")],
            [waiver("2027-01-31"), waiver("2027-01-31", "the key")],
            "replace of the key until 2027-01-31",
        ),
    ],
    ids=["added", "longer", "another"],
)
def test_a_waiver_that_is_added_or_ends_later_is_told(base: Any, head: Any, told: str) -> None:
    assert causes({"review_waivers": base}, {"review_waivers": head}) == [
        f"review_waivers with {told}: the next change is not stopped for that"
    ]
    assert causes({"review_waivers": head}, {"review_waivers": base}) == []


def test_an_approval_that_nobody_asks_for_any_more_is_told() -> None:
    base = {"review_approvals": [{"of": "replace", "by": ["ada", "company/owners"]}]}
    head = {"review_approvals": [{"of": "replace", "by": ["ada"]}]}
    assert causes(base, head) == [
        "review_approvals without company/owners for replace: nobody asks them for the next change"
    ]
    assert causes(head, base) == []


def test_all_are_told_together() -> None:
    (cause,) = causes(STRICT, {**STRICT, "production": False, "budget_usd_per_month": 9000.0})
    assert cause.count(";") == 1


def test_without_configurations_nothing_is_known() -> None:
    side = assembly(environment="dev")
    assert hazards_of(EnvironmentPair("dev", side, side)) == ()
