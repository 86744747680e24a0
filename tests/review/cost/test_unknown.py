"""What is not known is no zero, in every sum of a review."""

import pytest

from sizewell.review.cost.charges import ZERO, Amounts, known_sum

TWO = Amounts.fixed(2.0)


@pytest.mark.parametrize(
    ("parts", "total"),
    [
        ([], None),
        ([None], None),
        ([ZERO, None], None),
        ([ZERO], ZERO),
        ([TWO, None], TWO),
        ([TWO, ZERO], TWO),
    ],
)
def test_a_sum_of_which_nothing_is_known_is_unknown(
    parts: list[Amounts | None], total: Amounts | None
) -> None:
    assert known_sum(parts) == total
