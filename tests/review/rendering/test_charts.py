"""The geometry of the charts."""

from hypothesis import given
from hypothesis import strategies as st

from sizewell.review.model import SelectionChange
from sizewell.review.rendering.axes import axis_over, short_number
from sizewell.review.rendering.moved_point import draw_move
from sizewell.review.rendering.resource_tree import grow
from tests.review.rendering.sample_review import pick, sample


@given(st.lists(st.floats(min_value=0, max_value=1e9), min_size=1, max_size=8))
def test_every_value_has_a_place_on_its_axis(values: list[float]) -> None:
    axis = axis_over(values)
    assert all(0 <= axis.percent(value) <= 100 for value in values)
    ticks = axis.ticks(short_number)
    assert all(0 <= tick.percent <= 100 for tick in ticks)
    assert [tick.percent for tick in ticks] == sorted(tick.percent for tick in ticks)


def test_point_moves_from_base_to_head() -> None:
    chart = draw_move(sample().selection[0])
    assert chart is not None
    assert chart.moved is not None
    base, head = chart.moved
    assert (base.instance_type, head.instance_type) == ("ml.g5.2xlarge", "ml.g6e.2xlarge")
    assert base.x < head.x
    assert base.y < head.y, "faster is further down"
    roles = [point.role for point in chart.points]
    assert roles == ["candidate"] * 10 + ["base", "head"]


def test_nothing_is_drawn_without_a_price_of_a_pick() -> None:
    change = sample().selection[0]
    priceless = pick("ml.g5.2xlarge", 1, 10, "ml.m5.xlarge").model_copy(update={"usd_per_month": None})
    assert draw_move(change.model_copy(update={"base": None, "head": priceless})) is None
    chart = draw_move(change.model_copy(update={"base": priceless}))
    assert chart is not None
    assert chart.moved is None


def test_point_that_stays_has_no_arrow() -> None:
    side = pick("ml.m5.xlarge", 1, 10, "ml.m5.large")
    still = SelectionChange(
        environment="dev",
        workload="w",
        kind="training-job",
        time_of="duration",
        base=side,
        head=side,
        reasons=(),
    )
    nearly = still.model_copy(update={"head": side.model_copy(update={"time": (side.time or 0) * 1.03})})
    for change in (still, nearly):
        chart = draw_move(change)
        assert chart is not None
        assert chart.moved is None


def test_tree_holds_every_change_once_and_opens_where_something_goes_away() -> None:
    resources = sample().resources
    tree = grow(resources)
    assert [branch.name for branch in tree] == ["prod", "staging", "dev"]
    found = [one for branch in tree for stack in branch.stacks for one in stack.resources]
    assert sorted(map(id, found)) == sorted(map(id, resources.changes))
    assert {stack.name: stack.hurts for branch in tree for stack in branch.stacks} == {
        "demo-prod-foundation": True,
        "demo-prod-assistant": True,
        "demo-staging-assistant": True,
        "demo-dev-foundation": False,
        "demo-dev-plant-search": False,
    }
    assert [stack.change.action for stack in tree[2].stacks if stack.change] == ["added"]
    assert [(one.action, one.count) for one in tree[0].tallies] == [
        ("replaced", 3),
        ("may be replaced", 1),
        ("changed", 4),
    ]
