from pathlib import Path
from typing import Any

from sizewell.review.comparison import EnvironmentPair
from sizewell.review.gate import policy_conditions
from sizewell.review.saved.output import Assembly


def side(fail_on: Any) -> Assembly:
    config = {"schema_version": 1, "environment": {"policy": {"review_fail_on": fail_on}}}
    return Assembly(Path("x"), "any", {}, config=config)


def test_conditions_of_both_sides_hold_in_their_environment() -> None:
    pairs = [
        EnvironmentPair("prod", side(["danger", "cost-increase>10%"]), side(["danger", "over-budget"])),
        EnvironmentPair("dev", side(["warning@prod, replace"]), None),
    ]
    assert policy_conditions(pairs) == (
        "danger@prod",
        "cost-increase>10%@prod",
        "over-budget@prod",
        "warning@dev",
        "replace@dev",
    )


def test_a_change_cannot_switch_off_what_would_stop_it() -> None:
    assert policy_conditions([EnvironmentPair("prod", side(["danger"]), side([]))]) == ("danger@prod",)


def test_without_a_configuration_there_are_none() -> None:
    nothing = Assembly(Path("x"), "app", {})
    assert (
        policy_conditions(
            [EnvironmentPair("app", nothing, nothing), EnvironmentPair("x", side("danger"), None)]
        )
        == ()
    )
