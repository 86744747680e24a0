"""Changes whose consequences were written down before any review of them was run."""

from collections import Counter

import pytest

from tools.benchmarks.consequences import Scored, score_all, synthesize_bases, visible_lines
from tools.benchmarks.review_cases.edits import read_cases

pytestmark = pytest.mark.cdk

#: Of 386; below this a change has made the review worse.
EXACT = 315


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> list[Scored]:
    outputs = tmp_path_factory.mktemp("bases")
    synthesize_bases(outputs)
    return score_all(read_cases(), outputs)


def test_every_case_has_a_name_and_says_why() -> None:
    cases = list(read_cases())
    assert len({case.name for case in cases}) == len(cases) >= 150
    assert all(case.why for case in cases)


def test_nothing_harmful_is_called_safe(scored: list[Scored]) -> None:
    assert [each.case.name for each in scored if each.score == "called safe"] == []


def test_a_comment_on_one_change_shows_at_most_twenty_lines(scored: list[Scored]) -> None:
    assert max(visible_lines(each.review) for each in scored) <= 20


def test_the_review_knows_as_many_consequences_as_it_did(scored: list[Scored]) -> None:
    assert Counter(each.score for each in scored)["exact"] >= EXACT
