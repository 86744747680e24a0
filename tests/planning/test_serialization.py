"""plan.json: the same bytes from the same configuration; in another process and place: tests/app/test_second_synth.py."""

import json
import re
from typing import Any

import pytest

from sizewell.planning import load_plan, plan_from_json, plan_to_json
from sizewell.planning.serialization import WHOLE_RUNNERS_UP, decisions_from_json, rounded
from sizewell.planning.workload_plan import InstanceWorkloadPlan
from tests.synthesis import ENVIRONMENTS, PROJECT_ROOT


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_a_plan_is_read_back_with_five_runners_up_and_all_rejections(environment: str) -> None:
    plan = load_plan(PROJECT_ROOT / "config", environment)
    read = plan_from_json(plan_to_json(plan))
    assert any(len(workload.selection.runners_up) > WHOLE_RUNNERS_UP for workload in plan.on_instances)
    expected, found = (
        rounded(one.model_dump(mode="json", exclude_computed_fields=True)) for one in (plan, read)
    )
    for workload in expected["workloads"]:
        del workload["selection"]["runners_up"][WHOLE_RUNNERS_UP:]
        for one in workload["selection"]["rejected"]:
            one["shortfall"] = None
    for document in (expected, found):
        for workload in document["workloads"]:
            workload["selection"]["rejected"].sort(key=lambda row: str(row["instance_type"]))
    assert found == expected


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_the_decisions_are_read_back_without_what_was_not_chosen(environment: str) -> None:
    text = plan_to_json(load_plan(PROJECT_ROOT / "config", environment))
    decisions, whole = decisions_from_json(text), plan_from_json(text)
    nothing = {"runners_up": (), "rejected": ()}
    for workload, expected in zip(decisions.workloads, whole.workloads, strict=True):
        assert isinstance(expected, InstanceWorkloadPlan)
        selection = expected.selection.model_copy(update=nothing)
        assert workload == expected.model_copy(update={"selection": selection})
    assert decisions.bill == whole.bill


def test_what_several_workloads_turn_down_for_the_same_reason_stands_once() -> None:
    document = json.loads(plan_to_json(load_plan(PROJECT_ROOT / "config", "prod")))
    rows = [tuple(row.values()) for row in document["rejections"].values()]
    assert len(set(rows)) == len(rows)
    named = [name for one in document["workloads"] for name in one["selection"]["rejected"]]
    assert len(set(named)) < len(named)


def test_a_row_stands_in_one_line_whatever_it_says() -> None:
    plan = load_plan(PROJECT_ROOT / "config", "prod")
    strange = 'a "quote", [brackets], {braces}\u2028\n  "key": {'
    items = tuple(
        item.model_copy(update={"service": strange}) for line in plan.bill.lines for item in line.items
    )
    lines = (plan.bill.lines[0].model_copy(update={"items": items}),)
    text = plan_to_json(plan.model_copy(update={"bill": plan.bill.model_copy(update={"lines": lines})}))
    assert {row["service"] for row in json.loads(text)["bill"]["lines"][0]["items"]} == {strange}
    assert len(re.findall(r'\n *{"service": "a .*}(?:,?)(?=\n)', text)) == len(items)


def test_plan_is_strict_json_with_six_digits_that_ends_in_a_newline() -> None:
    text = plan_to_json(load_plan(PROJECT_ROOT / "config", "prod"))

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    assert text.endswith("}\n")
    for number in _floats(json.loads(text, parse_constant=refuse)):
        assert number == float(f"{number:.6g}") or number == int(number) >= 10**6


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1234567.8, 1234568.0),
        (123456.78, 123457.0),
        (0.000123456789, 0.000123457),
        (12345678, 12345678),
        (True, True),
        (None, None),
        ("1.23456789", "1.23456789"),
        ({"a": [1.00000049, {"b": 2.0}]}, {"a": [1.0, {"b": 2.0}]}),
    ],
)
def test_only_floats_are_rounded(value: Any, expected: Any) -> None:
    assert rounded(value) == expected


def _floats(value: Any) -> list[float]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [number for item in value for number in _floats(item)]
    return [value] if isinstance(value, float) else []
