"""The guide says what the code does."""

import re

from sizewell.cli.review_command import GATE_EXIT_CODE
from sizewell.cli.review_sides import BAD_INPUT_EXIT_CODE, SYNTH_EXIT_CODE
from sizewell.review.gate import GATE_CONDITIONS
from sizewell.templates.resource_schemas import _rows
from tests.synthesis import PROJECT_ROOT

PAGE = (PROJECT_ROOT / "docs" / "guides" / "review.md").read_text("utf-8")
ROW = r"^\| `([^`]+)` \| (.+) \|$"
ROWS = dict(re.findall(ROW, PAGE, re.MULTILINE))


def test_every_condition_of_the_gate_is_told() -> None:
    assert {name: text for name, text in ROWS.items() if name in GATE_CONDITIONS} == dict(GATE_CONDITIONS)


def test_the_exit_codes_are_those_of_the_command() -> None:
    codes = re.findall(r"^\| (\d) \| (.+) \|$", PAGE, re.MULTILINE)
    assert [int(code) for code, _ in codes] == [0, GATE_EXIT_CODE, BAD_INPUT_EXIT_CODE, SYNTH_EXIT_CODE]


def test_the_number_of_types_is_that_of_the_table() -> None:
    assert f"all {len(_rows()):,} types" in PAGE
