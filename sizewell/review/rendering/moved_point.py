"""The geometry of a choice: cost against time of the candidates, and the way from the old point to the new one."""

from collections.abc import Iterator
from dataclasses import dataclass

from sizewell.review.model import PickSide, SelectionChange
from sizewell.review.rendering.axes import Axis, Tick, axis_over, short_number
from sizewell.review.rendering.words import TIMES, pick_time, usd

#: Percent of the width or the height that the head of an arrow and a mark take on a narrow screen.
_ARROW = 10


@dataclass(frozen=True, slots=True)
class Point:
    """A type on the chart; ``y`` counts down from the top, as a drawing does."""

    role: str
    """``base``, ``head`` or ``candidate``."""
    instance_type: str
    usd_per_month: str
    time: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class MovedPoint:
    """Everything that is drawn; candidates first, head on top."""

    points: tuple[Point, ...]
    moved: tuple[Point, Point] | None
    """From base to head; None where one is missing, or both are too near for an arrow between their marks."""
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    time: str
    """What is measured upwards."""


@dataclass(frozen=True, slots=True)
class _Known:
    role: str
    instance_type: str
    usd_per_month: float
    time: float


def draw_move(change: SelectionChange) -> MovedPoint | None:
    """Return the chart; None where neither pick has a price."""
    known = list(_known(change))
    if not any(candidate.role in {"base", "head"} for candidate in known):
        return None
    x_axis = axis_over(candidate.usd_per_month for candidate in known)
    y_axis = axis_over(candidate.time for candidate in known)
    points = [_point(candidate, change.time_of, x_axis, y_axis) for candidate in known]
    picks = [point for point in points if point.role != "candidate"]
    hours = change.time_of == "duration"
    moved = len(picks) == 2 and max(abs(picks[0].x - picks[1].x), abs(picks[0].y - picks[1].y)) >= _ARROW
    return MovedPoint(
        points=tuple(points),
        moved=(picks[0], picks[1]) if moved else None,
        x_ticks=x_axis.ticks(short_number),
        y_ticks=tuple(
            Tick(round(100 - tick.percent, 2), tick.label)
            for tick in y_axis.ticks(_hours if hours else _milliseconds)
        ),
        time=TIMES[change.time_of],
    )


def _known(change: SelectionChange) -> Iterator[_Known]:
    """Yield what has a price: candidates that are not picks, then base, then head."""
    picks = {side.instance_type for side in (change.base, change.head) if side}
    for candidate in change.candidates:
        if candidate.usd_per_month is not None and candidate.instance_type not in picks:
            yield _Known("candidate", candidate.instance_type, candidate.usd_per_month, candidate.time)
    yield from _known_pick("base", change.base)
    yield from _known_pick("head", change.head)


def _known_pick(role: str, side: PickSide | None) -> Iterator[_Known]:
    if side and side.usd_per_month is not None and side.time is not None:
        yield _Known(role, side.instance_type, side.usd_per_month, side.time)


def _point(known: _Known, time_of: str, x_axis: Axis, y_axis: Axis) -> Point:
    return Point(
        known.role,
        known.instance_type,
        usd(known.usd_per_month),
        pick_time(time_of, known.time),
        x_axis.percent(known.usd_per_month),
        round(100 - y_axis.percent(known.time), 2),
    )


def _milliseconds(value: float) -> str:
    return f"{value / 1000:g} s" if value >= 1000 else f"{value:g} ms" if value else "0"


def _hours(value: float) -> str:
    return f"{value:g} h" if value else "0"
