from dataclasses import dataclass

import pytest

from sizewell.instance_selection.catalog.tables import record


@dataclass(frozen=True)
class Kind:
    name: str
    count: int
    share: float | None
    words: tuple[str, ...]
    new: bool | None
    owner: str | None
    given: frozenset[str] = frozenset()


def test_a_cell_is_what_its_field_is_and_an_empty_one_is_unknown() -> None:
    full = {"name": "a", "count": "2", "share": "0.5", "words": "b;c", "new": "0", "owner": "d"}
    empty = {"name": "", "count": "2", "share": "", "words": "", "new": "", "owner": ""}

    assert record(Kind, full, given=frozenset("e")) == Kind(
        "a", 2, 0.5, ("b", "c"), new=False, owner="d", given=frozenset("e")
    )
    assert record(Kind, empty, given=frozenset()) == Kind("", 2, None, (), new=None, owner=None)


def test_a_field_of_a_type_that_no_cell_has_must_be_given() -> None:
    with pytest.raises(KeyError):
        record(Kind, {"name": "a"})
