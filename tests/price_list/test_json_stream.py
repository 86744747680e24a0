"""A JSON file is read member by member, whatever piece of it comes at once."""

import json
from io import StringIO
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sizewell.price_list import json_stream
from sizewell.price_list.json_stream import BrokenJsonError, JsonStream

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


def walked(stream: JsonStream, depth: int) -> Any:
    return {name: walked(stream, depth - 1) if depth else stream.value() for name in stream.members()}


@example(document={"": {"": 0.5}}, size=1, indent=None)
@given(
    document=st.dictionaries(st.text(), st.dictionaries(st.text(), VALUES, max_size=3), max_size=3),
    size=st.integers(1, 9),
    indent=st.none() | st.integers(0, 2),
)
def test_what_is_walked_is_what_is_written(document: Any, size: int, indent: int | None) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_stream, "_CHUNK", size)
        assert walked(JsonStream(StringIO(json.dumps(document, indent=indent))), 1) == document


@given(cut=st.integers(0, 40))
def test_a_file_that_ends_early_is_broken(cut: int) -> None:
    text = json.dumps({"products": {"A": {"x": [1, 2]}}, "terms": {}})[:cut]
    with pytest.raises(BrokenJsonError):
        walked(JsonStream(StringIO(text)), 1)
