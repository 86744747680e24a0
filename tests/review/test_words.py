"""Values of both sides, side by side: what differs is shown, however long they are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizewell.review.words import shorten_pair, shown_pair


@pytest.mark.parametrize(
    ("base", "head", "expected"),
    [
        ("old", "new", ("old", "new")),
        (None, "new", ("", "new")),
        ("x" * 30, None, ("xxxxxxxxxx… (20 more characters)", "")),
        ("same", "same", ("same", "same (other content)")),
        ("abcdefghijklmno old", "abcdefghijklmno new", ("…lmno old", "…lmno new")),
        ("abcdefghijklmno", "abcdefghijklmno new", ("…klmno", "…klmno new")),
        (
            "a-other than all that follows",
            "b-other than all that follows",
            ("a-other th… (19 more characters)", "b-other th… (19 more characters)"),
        ),
    ],
)
def test_long_values_are_shown_from_where_they_differ(
    base: str | None, head: str | None, expected: tuple[str, str]
) -> None:
    assert shown_pair(base, head, 10) == expected


@given(st.text(max_size=200), st.text(max_size=200), st.text(max_size=200))
def test_shortened_texts_still_differ(front: str, base: str, head: str) -> None:
    ours, theirs = shorten_pair(front + base, front + head, 80)
    assert max(len(ours), len(theirs)) <= 80 + len("…… (320 more characters)")
    assert (ours == theirs) == (base == head)
