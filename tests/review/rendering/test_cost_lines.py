"""The sentences below the bills."""

import pytest

from sizewell.review.model import EnvironmentCost, Range
from sizewell.review.rendering.cost_lines import budget, budget_lines, coverage_lines, range_lines
from tests.review.rendering.sample_review import sample


def still(cost: EnvironmentCost, **given: object) -> EnvironmentCost:
    nothing = Range(minimum=0, expected=0, maximum=0)
    return cost.model_copy(update={"head": cost.base, "difference": nothing, "workloads": (), **given})


def test_budget_says_when_it_is_exceeded() -> None:
    prod, dev, _ = sample().cost
    assert budget(prod) == "9,500, exceeded"
    assert budget(dev) == "2,500"
    assert budget(dev.model_copy(update={"budget_usd_per_month": None})) == "—"


@pytest.mark.parametrize(
    ("base", "head", "expected"),
    [
        (6603.0, 9829.0, ["prod: at most 9,829, above the budget of 8,000 (was 6,603)"]),
        (9829.0, 9829.0, ["prod: at most 9,829, above the budget of 8,000, as before"]),
        (None, 9829.0, ["prod: at most 9,829, above the budget of 8,000"]),
        (9829.0, 8000.0, []),
        (9829.0, None, []),
    ],
)
def test_most_above_the_budget_is_said_in_words(
    base: float | None, head: float | None, expected: list[str]
) -> None:
    cost = (
        sample()
        .cost[0]
        .model_copy(
            update={
                "base": Range(minimum=0, expected=1, maximum=base),
                "head": Range(minimum=0, expected=1, maximum=head),
                "budget_usd_per_month": 8000.0,
            }
        )
    )
    assert budget_lines([cost]) == expected
    assert budget_lines([cost.model_copy(update={"budget_usd_per_month": None})]) == []


def test_ranges_of_both_sides_stand_beside_each_other() -> None:
    prod, _, _ = sample().cost
    assert range_lines([prod]) == ["prod: least – most 6,100 – 24,300 → 5,934 – 33,946"]  # noqa: RUF001
    assert range_lines([still(prod)]) == ["prod: least – most 6,100 – 24,300"]  # noqa: RUF001


def test_coverage_is_said_once_for_environments_in_which_it_is_the_same() -> None:
    first, second = coverage_lines(sample().cost)
    assert first.startswith("prod: 41 of 43 components priced; prices of 2026-10-31; unknown: S3 requests")
    assert first.endswith("not priced here: AWS::Events::Rule")
    assert second.startswith("dev and staging: ")


def test_environments_that_stay_share_a_short_sentence() -> None:
    prod, dev, staging = sample().cost
    dates = ("2026-03", "2026-10-31", "undated")
    lines = coverage_lines([prod, still(dev), still(staging, price_dates=dates)])
    assert [line.partition(":")[0] for line in lines] == ["prod", "dev and staging"]
    assert (
        lines[1] == "dev and staging: 82 of 86 components priced, prices of 2026-03 to 2026-10-31 and undated"
    )
    assert coverage_lines([still(dev, price_dates=())]) == ["dev: 41 of 43 components priced"]


def test_what_is_newly_unknown_is_named_although_no_amount_moves() -> None:
    dev = sample().cost[1]
    unknown = Range(minimum=None, expected=None, maximum=None)
    search = dev.workloads[0]
    assert search.head is not None
    component = search.head.components[0].model_copy(update={"usd_per_month": unknown})
    side = search.head.model_copy(update={"components": (component,)})
    news = still(dev, workloads=(search.model_copy(update={"base": None, "head": side}),))
    known = still(dev, workloads=(search.model_copy(update={"base": side, "head": side}),))
    assert "unknown: S3 requests" in coverage_lines([news])[0]
    assert "unknown:" not in coverage_lines([known])[0]


def test_names_are_left_out_for_a_narrow_place() -> None:
    (line,) = coverage_lines(sample().cost[:1], 1)
    assert "unknown: S3 requests of assistant and 1 more; not priced here: AWS::Events::Rule" in line
    (line,) = coverage_lines(sample().cost[:1], 0)
    assert line.endswith("priced; prices of 2026-10-31; 2 unknown; 1 not priced here")


def test_environment_that_is_gone_has_no_coverage() -> None:
    prod, dev, _ = sample().cost
    gone = prod.model_copy(update={"head": None, "known_component_count": 0, "unknown": ()})
    assert coverage_lines([gone]) == []
    assert [line.partition(":")[0] for line in coverage_lines([gone, dev])] == ["dev"]
