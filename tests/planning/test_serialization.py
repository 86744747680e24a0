"""plan.json: the same bytes from the same configuration; in another process and place: tests/app/test_second_synth.py."""

import json
from typing import Any

import pytest

from sizewell.planning import load_plan, plan_from_json, plan_to_json
from sizewell.planning.serialization import rounded
from tests.synthesis import ENVIRONMENTS, PROJECT_ROOT


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_plan_read_back_is_written_to_the_same_bytes(environment: str) -> None:
    text = plan_to_json(load_plan(PROJECT_ROOT / "config", environment))
    assert plan_to_json(plan_from_json(text)) == text


def test_plan_is_strict_json_with_six_digits_that_ends_in_a_newline() -> None:
    text = plan_to_json(load_plan(PROJECT_ROOT / "config", "prod"))

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    assert text.endswith("}\n")
    for number in _floats(json.loads(text, parse_constant=refuse)):
        assert number == float(f"{number:.6g}")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1234567.8, 1234570.0),
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
