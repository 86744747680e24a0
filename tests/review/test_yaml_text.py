from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from sizewell.review.config_differences import MISSING
from sizewell.review.yaml_text import key_path, one_line


def read(text: str) -> Any:
    return YAML(typ="safe", pure=True).load(text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (MISSING, ""),
        (100.0, "100"),
        (0.3, "0.3"),
        (True, "true"),
        (None, "null"),
        ("us-east-1", "us-east-1"),
        ("10.40.0.0/16", "10.40.0.0/16"),
        ("Sorts support tickets", "Sorts support tickets"),
        ("arn:aws:s3", "arn:aws:s3"),
        ("", '""'),
        ("0.37", '"0.37"'),
        ("111122223333", '"111122223333"'),
        ("02:00", '"02:00"'),
        ("yes", '"yes"'),
        ("a: b", '"a: b"'),
        ("- a", '"- a"'),
        ("a #b", '"a #b"'),
        (["a", 1, "2"], '[a, 1, "2"]'),
        ({"b": 1, "a": {"c": "x"}}, "{a: {c: x}, b: 1}"),
        ([], "[]"),
        ({}, "{}"),
    ],
)
def test_values_are_written_as_in_yaml(value: Any, text: str) -> None:
    assert one_line(value) == text


plain = st.text(st.characters(max_codepoint=0xFFFF, exclude_categories=("Cc", "Cs")), max_size=12)
words = st.from_regex(r"[-\w.:+~^ ]{0,12}", fullmatch=True) | st.sampled_from(
    ["1e3", "0x1F", "0o7", "2026-01-01", "1_0"]
)


@given(
    st.dictionaries(
        plain | words, st.lists(plain | words | st.booleans() | st.integers(), max_size=3), max_size=3
    )
)
def test_what_is_written_is_read_back(value: dict[str, Any]) -> None:
    text = one_line(value)
    assert "\n" not in text
    assert read(text) == value


def test_a_key_with_a_dot_stands_in_quotes() -> None:
    assert key_path(("workloads", "a-b", "lora.r")) == 'workloads.a-b."lora.r"'
