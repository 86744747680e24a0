from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sizewell.config.tree import Node, Position
from sizewell.config.yaml_source import parse_yaml, read_yaml


def parse(text: str) -> Node:
    root, faults = parse_yaml(text, "f.yaml")
    assert root is not None
    assert faults == []
    return root


def first_message(text: str) -> str:
    _, faults = parse_yaml(text, "f.yaml")
    return faults[0].render()


def test_values_and_positions_of_maps_lists_and_scalars() -> None:
    root = parse("a:\n  b: [1, x]\n  c: |\n    1\n'd': \"2\"\n")
    assert root.plain() == {"a": {"b": [1, "x"], "c": "1\n"}, "d": "2"}
    assert root.nearest(("a", "b")).position == Position("f.yaml", 2, 3)
    assert root.nearest(("a", "b", "1")).position == Position("f.yaml", 2, 10)
    assert root.nearest(("d",)).position == Position("f.yaml", 5, 1)


def test_position_of_what_is_not_written_is_the_nearest_map() -> None:
    assert parse("a:\n  b: {}\n").nearest(("a", "b", "c", "d")).position.line == 2


def test_byte_order_mark_and_windows_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "f.yaml"
    path.write_bytes(b"\xef\xbb\xbfa: 1\r\nb: 2\r\n")
    root, _ = read_yaml(path, "f.yaml")
    assert root is not None
    assert root.plain() == {"a": 1, "b": 2}
    assert root.nearest(("b",)).position.line == 2


def test_directory_in_place_of_a_file(tmp_path: Path) -> None:
    root, faults = read_yaml(tmp_path, "f.yaml")
    assert root is None
    assert faults[0].render() == "f.yaml\n  this is a directory, not a file"


def test_alias_stands_for_its_anchor_and_has_its_own_line() -> None:
    root = parse("a: &x {k: [1]}\nb: *x\n")
    assert root.plain()["b"] == {"k": [1]}
    assert root.nearest(("b",)).position.line == 2
    assert root.nearest(("b", "k")).position.line == 1


def test_alias_without_anchor() -> None:
    assert first_message("a: *x\n") == (
        "f.yaml:1:4  a\n  the alias *x has no anchor\n  write &x before the value that it stands for, above this line"
    )


def test_alias_inside_its_own_anchor() -> None:
    assert "the alias *x has no anchor" in first_message("a: &x [*x]\n")


def test_billion_laughs_are_refused() -> None:
    laughs = ["a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]"]
    laughs += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    _, faults = parse_yaml("\n".join(laughs), "f.yaml")  # never print the root: it would not end
    messages = [fault.message for fault in faults]
    assert messages == ["with its aliases written out, the file has more than 100,000 values"]


def test_depth_is_limited() -> None:
    assert "nested more than 50 levels deep" in first_message("a: " + "[" * 2000 + "]" * 2000)


@pytest.mark.parametrize("key", ["1", "true", "null", "1.5", "[a]", "{a: 1}"])
def test_key_that_is_no_text(key: str) -> None:
    assert first_message(f"a:\n  ? {key}\n  : b\n").splitlines() == [
        "f.yaml:2:5  a",
        "  a key must be a text",
        "  write it in quotes; a value that begins with { or [, too",
    ]


def test_value_in_braces_without_quotes_is_taken_for_a_map() -> None:
    assert first_message("a: {{resolve:ssm:x}}\n").splitlines()[1:] == [
        "  a key must be a text",
        "  write it in quotes; a value that begins with { or [, too",
    ]


def test_quoted_number_is_a_key() -> None:
    assert parse('"1": a\n').plain() == {"1": "a"}


def test_merge_key_is_refused() -> None:
    assert first_message("a: &x {k: 1}\nb:\n  <<: *x\n").splitlines() == [
        "f.yaml:3:3  b",
        "  merge keys (<<) do not belong to YAML 1.2",
        "  write the keys out, or move what environments share to base.yaml",
    ]


def test_tag_is_refused() -> None:
    assert first_message("a: !!python/name:os.system x\n").splitlines()[1] == (
        "  the tag tag:yaml.org,2002:python/name:os.system is not used here"
    )


def test_infinite_number_is_refused() -> None:
    assert first_message("a: .inf\n") == (
        "f.yaml:1:4  a\n  numbers are finite\n  write it in quotes if it is a text"
    )


def test_control_character_is_refused_with_its_place() -> None:
    assert first_message("a: 1\nb: \x07\n").splitlines()[:2] == [
        "f.yaml:2:4",
        "  the character U+0007 is not allowed",
    ]


def test_all_faults_of_a_text_come_at_once() -> None:
    _, faults = parse_yaml("a: 1\na: 2\nb: !x 3\na: 4\n1: 5\nc: [\n", "f.yaml")
    assert [fault.line for fault in faults] == [2, 3, 4, 5, 7]


@given(st.text(alphabet=st.sampled_from("ab1 :-\n\t\"'[]{}#&*!|>%@?,.~<\\\x85\u2028\ufeff\x00"), max_size=30))
@example("%YAML 1.1\n---\na: yes\n")
@example('"\\ud800": 1')
def test_any_text_is_read_or_refused(text: str) -> None:
    root, faults = parse_yaml(text, "f.yaml")
    assert root is not None or faults
    assert all(fault.render() for fault in faults)
