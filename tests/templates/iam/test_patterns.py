import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizewell.templates.iam.patterns import arn_covers, covers, disjoint

patterns = st.lists(st.sampled_from(["a", "b", "*", "?", "${T}", "${U.Arn}"]), max_size=6).map("".join)


@pytest.mark.parametrize(
    ("wide", "narrow"),
    [
        ("*", "anything"),
        ("s3:*", "s3:getobject"),
        ("s3:get*", "s3:getobject*"),
        ("s3:?et*", "s3:getobject"),
        ("arn:*/x", "arn:a/b/x"),
        ("${B.Arn}/*", "${B.Arn}/models/*"),
        ("a*", "a${T}"),
        ("*?", "?*"),
        ("a*c*e", "abcde"),
    ],
)
def test_a_wider_pattern_covers(wide: str, narrow: str) -> None:
    assert covers(wide, narrow)


@pytest.mark.parametrize(
    ("wide", "narrow"),
    [
        ("s3:getobject", "s3:*"),
        ("s3:get?", "s3:get*"),
        ("s3:get?", "s3:get"),
        ("${B.Arn}/*", "${C.Arn}/x"),
        ("${B.Arn}", "x"),
        ("a?", "a${T}"),
        ("abc", "abcd"),
        ("a*c", "ab"),
    ],
)
def test_another_pattern_does_not(wide: str, narrow: str) -> None:
    assert not covers(wide, narrow)


@given(patterns)
def test_a_pattern_covers_itself(pattern: str) -> None:
    assert covers(pattern, pattern)
    assert not disjoint(pattern, pattern)


@given(patterns, patterns, patterns)
def test_covering_is_transitive(a: str, b: str, c: str) -> None:
    if covers(a, b) and covers(b, c):
        assert covers(a, c)


@given(patterns, patterns)
def test_what_covers_is_not_disjoint(a: str, b: str) -> None:
    assert not (covers(a, b) and disjoint(a, b))


@given(patterns, st.text("ab", max_size=6), st.data())
def test_what_a_covered_pattern_matches_is_covered(wide: str, text: str, data: st.DataObject) -> None:
    narrow = data.draw(patterns)
    if covers(wide, narrow) and covers(narrow, text):
        assert covers(wide, text)


def test_patterns_that_begin_differently_are_disjoint() -> None:
    assert disjoint("s3:get*", "iam:*")
    assert disjoint("s3:getobject", "s3:getobjectacl")
    assert not disjoint("s3:*", "s3:get*")
    assert not disjoint("${T}", "s3:get*")


def test_a_wildcard_does_not_reach_beyond_its_part_of_an_arn() -> None:
    assert arn_covers("arn:aws:s3:::*", "arn:aws:s3:::bucket")
    assert arn_covers("arn:aws:sns:${AWS::Region}:*:t", "arn:aws:sns:${AWS::Region}:1:t")
    assert not arn_covers("arn:*:bucket", "arn:aws:s3:::bucket")
    assert not arn_covers("arn:aws:s3:::bucket", "arn:aws:s3:::*")
