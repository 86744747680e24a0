"""A review on a terminal and in a pipe."""

import io
import re

import pytest
from rich.console import Console
from syrupy.assertion import SnapshotAssertion

from sizewell.cli.console import PIPED_WIDTH, open_console
from sizewell.cli.review_view import print_review
from sizewell.review.model import Note, Review, Side, Verdict
from tests.review.rendering.any_review import HOSTILE, crowded, poisoned
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


@pytest.mark.parametrize("width", [80, 99, 100, 109, 110, 140])
def test_no_line_is_wider_than_the_terminal_and_no_amount_is_cut(width: int) -> None:
    text = re.sub("\x1b.*?m", "", on_terminal(sample(), width))
    assert all(len(line) <= width for line in text.splitlines())
    for amount in ("8,910", "10,703", "+1,793", "+20%", "9,500, exceeded"):
        assert amount in text
    for bounds in ("6,100 – 24,300", "5,934 – 33,946"):  # noqa: RUF001
        assert bounds in text


def test_sections_stand_in_the_order_of_reading() -> None:
    text = on_terminal(sample(), PIPED_WIDTH)
    titles = [
        *("Danger: main → worktree", "The gate stops", "Cost, USD per month", "Instance types"),
        *(
            "Hazards: 2 dangers",
            "Security: ",
            "About this review",
            "\nConfiguration",
            "Resources: 3 replaced",
        ),
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
    for review in (poisoned(sample(), text), crowded(sample(), text)):
        printed = on_terminal(review, 100)
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u202e]", printed)


def test_values_that_look_like_markup_are_printed_as_they_are() -> None:
    assert "[bold]x[/]" in on_terminal(poisoned(sample(), "[bold]x[/]"), 100)


def test_why_head_does_not_synthesize_stands_before_the_other_sections() -> None:
    failure = Note(severity="danger", environment="prod", text="prod of head fails", detail="first\n  second")
    text = on_terminal(sample().model_copy(update={"notes": (*sample().notes, failure)}), 100)
    assert "\nDoes not synthesize\nDanger in prod: prod of head fails\n    first\n      second\n" in text
    assert text.index("Does not synthesize") < text.index("About this review")


def test_the_same_of_several_things_is_told_once_with_their_names() -> None:
    first = sample().hazards[0]
    names = ("log group B", "key A", "bucket C")
    many = tuple(first.model_copy(update={"subject": name}) for name in names)
    text = on_terminal(sample().model_copy(update={"hazards": many}), 140)
    assert (
        "Hazards: 3 dangers (1 finding in 3 places)\nDanger in prod: 3 times (replace-stateful)\n"
        "    key A\n    bucket C\n    log group B\n  cause "
    ) in text
    elsewhere = many[0].model_copy(update={"environment": "dev"})
    text = on_terminal(sample().model_copy(update={"hazards": (*many[1:], elsewhere)}), 140)
    assert "  prod\n    key A\n    bucket C\n  dev\n    log group B\n  cause " in text


@pytest.mark.parametrize("width", [80, 100, 140])
def test_coverage_takes_two_lines_at_most(width: int) -> None:
    prod = sample().cost[0]
    unknown = tuple(f"CloudWatch log ingestion of workload {i}: paid by use" for i in range(16))
    dates = ("2026-03", "2026-09-17", "2026-09-21", "2026-09-27", "undated")
    long = prod.model_copy(update={"unknown": unknown, "price_dates": dates})
    text = on_terminal(sample().model_copy(update={"cost": (long,)}), width)
    after = text[text.index("  prod: 41 of 57 components priced") :]
    assert len(after[: after.index("\n\n")].splitlines()) <= 2
    assert "more characters" not in after[: after.index("\n\n")]


def test_denials_and_public_permissions_are_sentences() -> None:
    iam = sample().security.iam[0]
    denied = iam.grants[0].model_copy(update={"effect": "Deny", "principal": "*"})
    public = iam.grants[1].model_copy(update={"principal": "*"})
    other = iam.grants[2].model_copy(update={"effect": "Deny", "principal": "111122223333", "condition": ""})
    change = iam.model_copy(update={"grants": (denied, public, other)})
    security = sample().security.model_copy(update={"iam": (change,)})
    text = on_terminal(sample().model_copy(update={"security": security}), 140)
    assert "  no longer denied: s3:DeleteObject on arn:aws:s3:::demo-prod-models/*\n" in text
    assert "  everybody may s3:PutObject on arn:aws:s3:::demo-prod-models/*\n" in text
    assert "  no longer denied to 111122223333: kms:Decrypt on *\n" in text
