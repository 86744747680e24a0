"""Questions that are asked of all types at once."""

import numpy as np

from sizewell.instance_selection.filters import Filter, Marks, Miss, apply_filters, rejection
from sizewell.instance_selection.results import Rejection

NAMES = ("a", "b", "c")


def marking(name: str, *marks: bool) -> Filter[None]:
    return Filter(name, lambda _: np.array(marks), lambda _, i: Miss(f"{name} of {NAMES[i]}", 2.0 + i))


def test_the_first_miss_is_the_reason() -> None:
    kept, rejected = apply_filters(
        NAMES, None, (marking("one", False, True, False), marking("two", True, True, False))
    )

    assert kept == [2]
    assert rejected == {
        "a": Rejection(instance_type="a", filter="two", reason="two of a", shortfall=2.0),
        "b": Rejection(instance_type="b", filter="one", reason="one of b", shortfall=3.0),
    }


def test_no_question_is_asked_when_nothing_is_left() -> None:
    def never(_: None) -> Marks:
        raise AssertionError("nobody is left to be asked")

    questions = (marking("one", True, True, True), Filter("two", never, lambda _, i: Miss("")))

    assert apply_filters(NAMES, None, questions)[0] == []
    assert apply_filters((), None, questions) == ([], {})


def test_without_questions_everything_is_kept() -> None:
    assert apply_filters(NAMES, None, ()) == ([0, 1, 2], {})


def test_a_reason_is_worded_only_for_what_is_rejected() -> None:
    worded = []

    def describe(_: None, i: int) -> Miss:
        worded.append(i)
        return Miss("no")

    apply_filters(NAMES, None, (Filter("one", lambda _: np.array([True, False, True]), describe),))

    assert worded == [0, 2]


def test_a_rejection_is_equal_to_a_validated_one() -> None:
    assert rejection("ml.a.b", "memory", Miss("too little", 1.5)) == Rejection(
        instance_type="ml.a.b", filter="memory", reason="too little", shortfall=1.5
    )
