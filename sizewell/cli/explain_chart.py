"""The geometry of the chart: cost against latency or duration, in percent of the drawing, whatever its size."""

from dataclasses import dataclass
from itertools import pairwise

from sizewell.cli.explanation import Explanation
from sizewell.instance_selection import EndpointEstimate
from sizewell.instance_selection.results import AnyCandidate
from sizewell.review.rendering.axes import Axis, Tick, axis_over, short_number

#: Labels nearer to each other than this, in percent across and down, would overlap on a small screen.
LABEL_ROOM = (30.0, 6.0)


@dataclass(frozen=True, slots=True)
class Point:
    """A candidate on the chart; ``y`` counts down from the top, as a drawing does."""

    candidate: AnyCandidate
    rank: int
    x: float
    y: float
    role: str
    """``pick``, ``pool``, ``front`` or ``other``: the first that holds."""
    labelled: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A straight line, in percent."""

    x1: float
    y1: float
    x2: float
    y2: float


@dataclass(frozen=True)
class Chart:
    """Everything that is drawn; points in drawing order, the pick on top."""

    points: tuple[Point, ...]
    front: tuple[Line, ...]
    bound_y: float
    range: Line | None
    """The nominal 90 % range of the outcome of the pick."""
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    unpriced: int
    """Candidates that cannot be drawn: their price is unknown."""


def draw_chart(explanation: Explanation) -> Chart | None:
    """Return the chart; None where no candidate has a price."""
    priced = [
        (rank, c) for rank, c in enumerate(explanation.candidates, 1) if c.cost.usd_per_month is not None
    ]
    if not priced:
        return None
    chosen = explanation.workload.selection.chosen
    interval = _interval(explanation, chosen)
    times = [explanation.time(c.estimate) for _, c in priced]
    x_axis = axis_over(c.cost.usd_per_month or 0.0 for _, c in priced)
    y_axis = axis_over((*times, explanation.asked.bound, *(interval or ())))
    place = {
        c.instance_type: (
            x_axis.percent(c.cost.usd_per_month or 0.0),
            _down(y_axis, explanation.time(c.estimate)),
        )
        for _, c in priced
    }
    front = [c.instance_type for c in explanation.front]
    labelled = _labelled([chosen.instance_type, *front], place)
    points = [
        Point(c, rank, *place[c.instance_type], _role(c, explanation, front), c.instance_type in labelled)
        for rank, c in priced
    ]
    drawn_last = ("other", "pool", "front", "pick")
    error_bar = None
    if interval and chosen.instance_type in place:
        x = place[chosen.instance_type][0]
        error_bar = Line(x, _down(y_axis, interval[1]), x, _down(y_axis, interval[0]))
    endpoint = isinstance(chosen.estimate, EndpointEstimate)
    return Chart(
        points=tuple(sorted(points, key=lambda point: (drawn_last.index(point.role), -point.rank))),
        front=tuple(_stairs([place[name] for name in front])),
        bound_y=_down(y_axis, explanation.asked.bound),
        range=error_bar,
        x_ticks=x_axis.ticks(short_number),
        y_ticks=tuple(
            Tick(100 - tick.percent, tick.label)
            for tick in y_axis.ticks(_tick_milliseconds if endpoint else _tick_hours)
        ),
        unpriced=len(explanation.candidates) - len(priced),
    )


def _down(axis: Axis, value: float) -> float:
    return round(100 - axis.percent(value), 2)


def _interval(explanation: Explanation, candidate: AnyCandidate) -> tuple[float, float] | None:
    e, bound = candidate.estimate, explanation.latency_bound
    if isinstance(e, EndpointEstimate):
        return bound.range_ms(e) if bound else None
    return e.duration_range_hours


def _role(candidate: AnyCandidate, explanation: Explanation, front: list[str]) -> str:
    name = candidate.instance_type
    if name == explanation.workload.selection.chosen.instance_type:
        return "pick"
    if name in explanation.workload.instance_pools:
        return "pool"
    return "front" if name in front else "other"


def _stairs(corners: list[tuple[float, float]]) -> list[Line]:
    """Return the front as stairs: between two of its types, nothing is faster than the cheaper one."""
    lines = []
    for (x1, y1), (x2, y2) in pairwise(corners):
        lines += [Line(x1, y1, x2, y1), Line(x2, y1, x2, y2)]
    return lines


def _labelled(names: list[str], place: dict[str, tuple[float, float]]) -> set[str]:
    """Return the names that have room for a label, the first ones rather than the later ones."""
    kept: dict[str, tuple[float, float]] = {}
    for name in names:
        if name in place and all(
            abs(place[name][0] - x) > LABEL_ROOM[0] or abs(place[name][1] - y) > LABEL_ROOM[1]
            for x, y in kept.values()
        ):
            kept[name] = place[name]
    return set(kept)


def _tick_milliseconds(value: float) -> str:
    return f"{value / 1000:g} s" if value >= 1000 else f"{value:g} ms" if value else "0"


def _tick_hours(value: float) -> str:
    return f"{value:g} h" if value else "0"
