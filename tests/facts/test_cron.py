import pytest

from sizewell.facts.cron import in_one_spelling, starts_per_year


@pytest.mark.parametrize(
    ("expression", "starts"),
    [
        ("rate(5 minutes)", 365 * 24 * 12),
        ("rate(1 day)", 365),
        ("cron(0 4 * * ? *)", 365),
        ("cron(0 * * * ? *)", 365 * 24),
        ("cron(0/15 8-17 ? * MON-FRI *)", 365 * 5 / 7 * 10 * 4),
        ("cron(0 2 ? * SAT *)", 365 / 7),
        ("cron(0 2,14 ? * 7 *)", 2 * 365 / 7),
        ("cron(0 4 2 * ? *)", 12),
        ("cron(0 3 L * ? *)", 12),
        ("cron(0 1 1 1 ? *)", 1),
        ("cron(0 0 ? JUN-AUG * *)", 365 / 4),
    ],
)
def test_how_often(expression: str, starts: float) -> None:
    assert starts_per_year(expression) == pytest.approx(starts)


@pytest.mark.parametrize("expression", ["at(2026-12-01T00:00:00)", "cron(0 4 * * * *)", "rate(0 days)", ""])
def test_nobody_knows(expression: str) -> None:
    assert starts_per_year(expression) is None


@pytest.mark.parametrize(
    ("expression", "same"),
    [
        ("rate(1 hour)", "rate(60 minutes)"),
        ("cron(0 2 * * ? *)", "cron(0 2 ? * * *)"),
        ("cron(0 2 ? * MON *)", "cron(0 2 ? * 2 *)"),
        ("cron(0 2 ? jan-mar mon-fri *)", "cron(0 2 ? 1-3 2-6 *)"),
    ],
)
def test_the_same_times(expression: str, same: str) -> None:
    assert in_one_spelling(expression) == in_one_spelling(same)


@pytest.mark.parametrize(
    ("expression", "other"),
    [
        ("rate(1 hour)", "rate(61 minutes)"),
        ("cron(0 2 ? * MON *)", "cron(0 2 ? * TUE *)"),
        ("at(a)", "at(b)"),
    ],
)
def test_other_times(expression: str, other: str) -> None:
    assert in_one_spelling(expression) != in_one_spelling(other)
