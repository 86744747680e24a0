"""A review on a terminal and in a pipe."""

import io
import re

import pytest
from rich.console import Console
from syrupy.assertion import SnapshotAssertion

from cli.console import PIPED_WIDTH, open_console
from cli.review_view import print_review
from review.model import Review, Side, Verdict
from tests.review.rendering.any_review import HOSTILE, poisoned
from tests.review.rendering.sample_review import sample


def on_terminal(review: Review, width: int, colours: bool = False) -> str:
    console = Console(
        file=io.StringIO(),
        width=width,
        force_terminal=True,
        color_system="standard" if colours else None,
        highlight=False,
    )
    print_review(review, console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_piped_text_of_the_sample(capsys: pytest.CaptureFixture[str], snapshot: SnapshotAssertion) -> None:
    with open_console() as console:
        print_review(sample(), console)
    text = capsys.readouterr().out
    assert "\x1b" not in text
    assert text == snapshot


@pytest.mark.parametrize("width", [80, 99, 100, 140])
def test_no_line_is_wider_than_the_terminal_and_no_amount_is_cut(width: int) -> None:
    text = re.sub("\x1b.*?m", "", on_terminal(sample(), width))
    assert all(len(line) <= width for line in text.splitlines())
    for amount in ("8,910", "10,703", "+1,793", "+20%", "9,500, exceeded"):
        assert amount in text
    assert ("5,934 – 33,946" in text) is (width >= 100)  # noqa: RUF001


def test_sections_stand_in_the_order_of_reading() -> None:
    text = on_terminal(sample(), PIPED_WIDTH)
    titles = [
        *("Danger: main → worktree", "The gate stops", "About this review", "Hazards: 2 dangers", "Security"),
        *("Cost, USD per month", "Instance types", "Configuration", "Resources: 3 replaced"),
    ]
    places = [text.index(title) for title in titles]
    assert places == sorted(places)


def test_terminal_has_colours() -> None:
    text = on_terminal(sample(), 100, colours=True)
    assert "\x1b[1;31mDanger\x1b[0m" in text
    assert "\x1b[1;33mWarning\x1b[0m" in text


def test_review_without_any_change_is_one_line() -> None:
    side = Side(label="main", environments=("dev",), stack_count=3)
    still = Review(
        base=side,
        head=side,
        verdict=Verdict(level="no change", sentence="Nothing changes."),
        cost=sample().cost,
    )
    assert on_terminal(still, 100) == "No change: main → main\n"


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_values_neither_style_nor_command_a_terminal(text: str) -> None:
    printed = on_terminal(poisoned(sample(), text), 100)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u202e]", printed)


def test_values_that_look_like_markup_are_printed_as_they_are() -> None:
    assert "[bold]x[/]" in on_terminal(poisoned(sample(), "[bold]x[/]"), 100)
