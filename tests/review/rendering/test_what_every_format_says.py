"""The same words in every format: what is unknown, what differs, and how sure the verdict is."""

import re
from collections.abc import Callable

import pytest

from sizewell.cli.console import open_console
from sizewell.cli.review_view import print_review
from sizewell.review.model import (
    CostComponent,
    CostSide,
    EnvironmentCost,
    Level,
    PropertyChange,
    Range,
    ResourceChange,
    Resources,
    Review,
    Side,
    Verdict,
    WorkloadCost,
)
from sizewell.review.rendering import render_html, render_json, render_markdown

UNKNOWN = Range(minimum=None, expected=None, maximum=None)
SIDE = Side(label="x", environments=("prod",), stack_count=1)


def exactly(amount: float) -> Range:
    return Range(minimum=amount, expected=amount, maximum=amount)


def unpriced() -> Review:
    """An endpoint that goes to a type without a price, beside alarms of 1.30 USD that stay."""
    alarms = CostComponent(
        service="CloudWatch", name="alarms", quantity="13", unit_price="", usd_per_month=exactly(1.3), basis="published"
    )  # fmt: skip
    capacity = alarms.model_copy(
        update={"name": "ml.p9 instances", "usd_per_month": UNKNOWN, "basis": "unknown"}
    )
    workload = WorkloadCost(
        environment="prod",
        workload="chat",
        base=CostSide(components=(alarms,), usd_per_month=exactly(701.3)),
        head=CostSide(components=(alarms, capacity), usd_per_month=exactly(1.3)),
        difference=UNKNOWN,
    )
    cost = EnvironmentCost(
        environment="prod",
        region=None,
        base=exactly(701.3),
        head=exactly(1.3),
        difference=UNKNOWN,
        difference_percent=None,
        unknown_changes=("chat: ml.p9 instances",),
        workloads=(workload,),
    )
    return review(cost=(cost,))


def review(level: Level = "look", **sections: object) -> Review:
    return Review(base=SIDE, head=SIDE, verdict=Verdict(level=level, sentence="Because."), **sections)


@pytest.fixture
def terminal(capsys: pytest.CaptureFixture[str]) -> Callable[[Review], str]:
    def render(given: Review) -> str:
        with open_console() as console:
            print_review(given, console)
        return capsys.readouterr().out

    return render


@pytest.fixture(params=["terminal", "markdown", "html"])
def render(request: pytest.FixtureRequest, terminal: Callable[[Review], str]) -> Callable[[Review], str]:
    return {"terminal": terminal, "markdown": render_markdown, "html": render_html}[request.param]


def test_what_has_no_price_is_no_zero(render: Callable[[Review], str]) -> None:
    # Positions in a drawing are no amounts.
    text = re.sub(r' (x1?|x2|width)="[^"]*"', "", render(unpriced()))
    assert "0.0%" not in text
    assert "+0" not in text.replace("1.30 + unknown", "")
    # The environment and its workload: what is known of head, the difference, and the share of the environment.
    assert text.count("1.30 + unknown") >= 2
    assert text.count("unknown") - text.count("1.30 + unknown") >= 3


def test_a_known_cost_is_not_called_unknown(render: Callable[[Review], str]) -> None:
    cost = unpriced().cost[0]
    known = cost.model_copy(update={"difference": exactly(0), "difference_percent": 0.0, "workloads": ()})
    assert "unknown" not in render(review(cost=(known,))).replace("--unknown", "")


def test_the_property_that_differs_is_shown(render: Callable[[Review], str]) -> None:
    change = ResourceChange(
        environment="prod",
        stack="s",
        logical_id="A",
        resource_type="AWS::KMS::Key",
        path="app/Key",
        action="changed",
        properties=(
            PropertyChange(path="PendingWindowInDays", base="30", head="7", effect="update"),
            PropertyChange(path="Description", base="", head="x" * 500, effect="update"),
        ),
    )
    lines = [
        line
        for line in render(review(resources=Resources(changes=(change,)))).splitlines()
        if "Window" in line
    ]
    assert any("30" in line and "7" in line for line in lines)


def test_a_long_value_is_cut_in_the_comment() -> None:
    changed = tuple(
        PropertyChange(path=f"P{number}", base="", head="x" * 500, effect="update") for number in range(9)
    )
    change = ResourceChange(
        environment="prod", stack="s", logical_id="A", resource_type="AWS::KMS::Key", path="app/Key", action="changed",
        properties=changed,
    )  # fmt: skip
    (row,) = [
        line
        for line in render_markdown(review(resources=Resources(changes=(change,)))).splitlines()
        if "`P0`" in line
    ]
    assert "x" * 60 in row
    assert "x" * 61 not in row
    assert "and 5 more" in row


@pytest.mark.parametrize(
    ("level", "word", "sign"),
    [("safe", "Safe", "TIP"), ("nothing found", "Nothing found", "NOTE"), ("look", "Look", "WARNING")],
)
def test_the_level_is_the_same_word_everywhere(
    terminal: Callable[[Review], str], level: Level, word: str, sign: str
) -> None:
    given = review(level)
    assert terminal(given).startswith(f"{word}: x → x")
    assert f"> [!{sign}]\n> **{word}.** Because." in render_markdown(given)
    assert f'<p class="level">{word}</p>' in render_html(given)
    assert f'"level": "{level}"' in render_json(given)


def test_only_what_is_known_to_be_harmless_is_green() -> None:
    style = render_html(review("safe"))
    assert ".safe .level, .no-change .level { color: var(--good); }" in style
    assert ".nothing-found" not in style
