"""How log events are printed, and how far back they may be asked for."""

import pytest

from sizewell.account.logs import LogEvent
from sizewell.cli.logs_command import line_of, seconds_of


def test_an_event_is_one_line_that_steers_no_terminal() -> None:
    event = LogEvent(1_767_225_600_000, "primary/i-1", "ready\x1b[2J\nforged\tline\n")

    assert line_of(event) == r"2026-01-01T00:00:00Z primary/i-1 ready\x1b[2J\nforged  line"


@pytest.mark.parametrize(
    ("since", "seconds"),
    [("30m", 1800), ("1h", 3600), ("2d", 172_800), ("0h", None), ("1", None), ("1w", None)],
)
def test_how_far_back_is_a_number_and_a_unit(since: str, seconds: int | None) -> None:
    assert seconds_of(since) == seconds
