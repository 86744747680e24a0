"""Which way a property moves, by every word of the tables."""

from typing import Any

import pytest

from sizewell.review.consequences.directions import moves
from sizewell.review.consequences.table import Row

IF = {"Fn::If": ["Big", 2, 8]}


def row(worse: str, missing: Any = None) -> Row:
    word, _, values = worse.partition(" ")
    return Row(("*",), ("P",), missing, word, frozenset(filter(None, values.split("|"))), None, None, "", "")


@pytest.mark.parametrize(
    ("worse", "missing", "base", "head", "answer"),
    [
        ("lower", None, 3, 2, True),
        ("lower", None, "3", 4, False),
        ("lower", 5.0, None, 4, True),
        ("lower", 5.0, 4, None, False),
        ("lower", None, None, 4, None),
        ("lower", None, 4, {"Ref": "Count"}, None),
        ("lower", None, 4, IF, True),
        ("lower", None, IF, 4, False),
        ("higher", None, 4, IF, True),
        ("higher", None, 2, 3, True),
        ("lower", float("inf"), None, 30, True),
        ("lower", float("inf"), 30, None, False),
        ("oftener", None, "rate(1 day)", "rate(12 hours)", True),
        ("oftener", None, "rate(1 day)", "cron(0 4 * * ? *)", False),
        ("oftener", None, "rate(1 day)", {"Ref": "Schedule"}, False),
        ("off", True, None, False, True),
        ("off", True, "true", None, False),
        ("off", False, True, None, True),
        ("off", False, {"Ref": "On"}, False, None),
        ("on", False, None, True, True),
        ("removed", None, "a", None, True),
        ("removed", None, "a", "b", False),
        ("added", None, None, "a", True),
        ("fewer", None, ["a", "b"], ["b"], True),
        ("fewer", None, ["a"], ["b", "a"], False),
        ("more", None, ["a"], ["b", "a"], True),
        ("fewer", None, {"a": 1, "b": 2}, {"a": 1}, True),
        ("to OFF|NONE", "ALL", "ALL", "OFF", True),
        ("to OFF", "OFF", "ALL", None, True),
        ("to OFF", "ALL", None, "ERROR", False),
        ("from ALL", "ALL", None, "ERROR", True),
        ("any", None, "a", "b", True),
        ("none", None, "a", "b", False),
        ("rule", None, "a", "b", False),
    ],
)
def test_a_move(worse: str, missing: Any, base: Any, head: Any, answer: bool | None) -> None:
    assert moves(row(worse, missing), base, head) is answer


@pytest.mark.parametrize("worse", ["lower", "higher", "off", "on", "to false", "any"])
def test_the_default_of_aws_written_out_is_no_move(worse: str) -> None:
    assert moves(row(worse, False), None, "false") is False
    assert moves(row(worse, 3.0), "3", None) is False
