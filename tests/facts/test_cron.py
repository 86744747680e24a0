import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizewell.facts.cron import (
    FIELDS,
    cron,
    in_one_spelling,
    starts_per_year,
    unix_cron,
    unix_cron_fault,
)


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


@given(
    minute=st.integers(0, 24 * 60 - 1),
    weekdays=st.lists(st.sampled_from(FIELDS[4].names.split("|")), unique=True, max_size=7),
)
def test_unix_reads_the_same_times(minute: int, weekdays: list[str]) -> None:
    found = unix_cron(cron(minute, weekdays=weekdays))
    assert unix_cron_fault(found) is None
    minutes, hours, day, month, of_week = found.split()
    assert int(hours) * 60 + int(minutes) == minute
    assert (day, month) == ("*", "*")
    sunday_first = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]
    days = [] if of_week == "*" else [sunday_first[int(number)] for number in of_week.split(",")]
    assert days == weekdays


@pytest.mark.parametrize(
    "expression",
    ["cron(0 9 L * ? *)", "cron(0 9 ? * 6#2 *)", "cron(0 9 1 * ? 2027)", "cron(0 9 ? * SAT-SUN *)"],
)
def test_what_unix_cannot_say_is_an_error(expression: str) -> None:
    with pytest.raises(ValueError, match="Unix has no field"):
        unix_cron(expression)
