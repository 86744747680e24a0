"""Which expressions mean the same: a wrong "same" would hide a change, so what is not understood is another."""

import pytest

from sizewell.review.consequences.meaning import normal_form


@pytest.mark.parametrize(
    ("base", "head"),
    [
        ("100 * errors / invocations", "errors / invocations * 100"),
        ("100*errors/invocations", "100 * errors / invocations"),
        ("a / b / c", "a / c / b"),
        ("{% $states.input.rmse <= 12.5 %}", "{% $states.input.rmse <= 12.50 %}"),
        ("ALARM(one) OR ALARM(two)", "ALARM(two) OR ALARM(one)"),
        ("ALARM(one)  AND OK(two)", "OK(two) AND ALARM(one)"),
    ],
)
def test_the_same(base: str, head: str) -> None:
    assert normal_form(base) == normal_form(head)


@pytest.mark.parametrize(
    ("base", "head"),
    [
        ("a / b", "b / a"),
        ("a / b * c", "a / c * b"),
        ("a - b", "b - a"),
        ("a * b + c", "c * b + a"),
        ("{% $rmse <= 12.5 %}", "{% $rmse <= 12.05 %}"),
        ("{% $x = '1.0' %}", "{% $x = '1.00' %}"),
        ("{% $x = 'a  1.0 b' %}", "{% $x = 'a 1.0 b' %}"),
        ("ALARM(one) OR ALARM(two)", "ALARM(one) AND ALARM(two)"),
        ("ALARM(one) AND ALARM(two) OR ALARM(three)", "ALARM(three) AND ALARM(two) OR ALARM(one)"),
        ("ALARM(one) OR ALARM(two)", "ALARM(one) OR NOT ALARM(two)"),
    ],
)
def test_not_the_same(base: str, head: str) -> None:
    assert normal_form(base) != normal_form(head)
