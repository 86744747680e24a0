"""The geometry of the chart."""

from hypothesis import given
from hypothesis import strategies as st

from sizewell.cli.explain_chart import Line, draw_chart
from sizewell.review.rendering.axes import Axis, axis_over, short_number
from tests.cli.explanations import explained
from tests.instance_selection.candidates import job, selection, serving

A, B, C, D = "ml.m5.xlarge", "ml.m6i.xlarge", "ml.p3.2xlarge", "ml.g5.xlarge"
POSITIVE = st.floats(1e-3, 1e7)


@given(st.lists(POSITIVE, min_size=1, max_size=8))
def test_axis_holds_all_values_in_their_order_with_marks_between_its_ends(values: list[float]) -> None:
    axis = axis_over(values)
    places = [axis.percent(value) for value in sorted(values)]
    assert places == sorted(places)
    assert places[0] >= 0
    assert places[-1] <= 100
    ticks = axis.ticks(short_number)
    assert all(-0.01 <= tick.percent <= 100.01 for tick in ticks)
    assert len({tick.percent for tick in ticks}) == len(ticks) <= 11


def test_axis_is_logarithmic_where_values_are_far_apart() -> None:
    near, far = axis_over([10, 100]), axis_over([10, 1000])
    assert (near.logarithmic, near.low) == (False, 0)
    assert far.logarithmic
    assert [tick.label for tick in far.ticks(short_number)] == ["10", "20", "50", "100", "200", "500", "1k"]
    assert Axis(1, 10_000, logarithmic=True).percent(100) == 50


def test_round_numbers_are_short() -> None:
    assert [short_number(value) for value in (0, 0.5, 20, 1_500, 2_000_000)] == [
        "0",
        "0.5",
        "20",
        "1.5k",
        "2M",
    ]


def test_points_have_roles_and_the_pick_is_drawn_last() -> None:
    told = explained(
        selection(serving(A, 10, 90), serving(B, 12, 95), serving(C, 20, 95), serving(D, 30, 20)),
        instance_pools=(A, B),
    )
    chart = draw_chart(told)
    assert chart is not None
    assert [(p.candidate.instance_type, p.role, p.rank) for p in chart.points] == [
        (C, "other", 3),
        (B, "pool", 2),
        (D, "front", 4),
        (A, "pick", 1),
    ]
    by_name = {point.candidate.instance_type: point for point in chart.points}
    # Dearer is farther right, faster is farther down.
    assert by_name[A].x < by_name[B].x < by_name[C].x < by_name[D].x
    assert by_name[D].y > by_name[A].y > by_name[C].y == by_name[B].y
    pick, fast = by_name[A], by_name[D]
    assert chart.front == (Line(pick.x, pick.y, fast.x, pick.y), Line(fast.x, pick.y, fast.x, fast.y))
    assert chart.range is None


def test_bound_and_range_of_the_pick_are_inside_the_drawing() -> None:
    pick = serving(A, 10, 90, latency_range_ms=(40.0, 250.0))
    chart = draw_chart(explained(selection(pick, serving(B, 20, 80)), bound=100))
    assert chart is not None
    assert chart.range is not None
    (point,) = (point for point in chart.points if point.role == "pick")
    assert 0 <= chart.range.y1 < chart.bound_y < point.y < chart.range.y2 <= 100
    assert chart.range.x1 == chart.range.x2 == point.x


def test_candidates_without_a_price_are_counted_and_not_drawn() -> None:
    chart = draw_chart(explained(selection(job(A, 10, 4), job(B, None, 2)), bound=24))
    assert chart is not None
    assert [point.candidate.instance_type for point in chart.points] == [A]
    assert chart.unpriced == 1
    assert draw_chart(explained(selection(job(A, None, 4)), bound=24)) is None


def test_labels_do_not_overlap() -> None:
    crowd = [serving(f"ml.t{i:02}.xlarge", 10 + i / 100, 90 - i / 100) for i in range(20)]
    chart = draw_chart(explained(selection(*crowd, serving(D, 99, 1))))
    assert chart is not None
    assert [p.candidate.instance_type for p in chart.points if p.labelled] == [D, "ml.t00.xlarge"]
