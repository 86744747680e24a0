"""``sizewell dashboard --html``: the dashboards of an environment with sample data, as one file that needs nothing else."""

from dataclasses import dataclass

from sizewell.cli.page import page_asset, page_templates
from sizewell.dashboards.graph import Dashboard, Graph, Section, Series
from sizewell.dashboards.sample import sample_values
from sizewell.review.rendering.axes import Axis, Tick, axis_from_zero, short_number


@dataclass(frozen=True, slots=True)
class DrawnLine:
    """A series: its points as SVG writes them, in percent of the drawing, and its colour by number."""

    label: str
    points: str
    colour: int


@dataclass(frozen=True, slots=True)
class DrawnLimit:
    """A limit, in percent from the top; its label is on the left where another one would be under it on the right."""

    label: str
    y: float
    on_left: bool


@dataclass(frozen=True, slots=True)
class DrawnGraph:
    """Everything that is drawn of a graph; ticks are in percent from the top."""

    title: str
    unit: str
    right_unit: str | None
    lines: tuple[DrawnLine, ...]
    limits: tuple[DrawnLimit, ...]
    ticks: tuple[Tick, ...]
    right_ticks: tuple[Tick, ...]
    times: tuple[Tick, ...]


#: As many colours as the style sheet has.
_COLOURS = 8
#: Labels nearer to each other than this, in percent, would overlap.
_LABEL_ROOM = 9.0
#: A line on the right axis stays below this share of it: the cost of instances would hide their number.
_SHARE_OF_RIGHT_AXIS = 0.8


def render_page(dashboards: tuple[Dashboard, ...], environment_name: str) -> str:
    """Return the page: the same bytes for the same dashboards, every value escaped, nothing loaded from elsewhere."""
    return (
        page_templates()
        .get_template("dashboard.html.jinja2")
        .render(
            environment=environment_name,
            style=page_asset("page.css") + page_asset("dashboard.css"),
            dashboards=[
                (dashboard, [_drawn_section(section) for section in dashboard.sections])
                for dashboard in dashboards
            ],
        )
    )


def draw_graph(graph: Graph) -> DrawnGraph:
    """Return a graph with sample data."""
    sampled = [(series, sample_values(series, graph)) for series in graph.series]
    values_of = {
        right: [value for series, values in sampled if series.on_right_axis is right for value in values]
        for right in (False, True)
    }
    axes = {
        False: axis_from_zero([*values_of[False], *(limit.value for limit in graph.limits)]),
        True: axis_from_zero(value / _SHARE_OF_RIGHT_AXIS for value in values_of[True]),
    }
    return DrawnGraph(
        title=graph.title,
        unit=graph.unit,
        right_unit=graph.right_unit,
        lines=tuple(
            DrawnLine(_label(series), _points(values, axes[series.on_right_axis]), index % _COLOURS)
            for index, (series, values) in enumerate(sampled)
        ),
        limits=_limits(graph, axes[False]),
        ticks=_ticks(axes[False]),
        right_ticks=_ticks(axes[True]) if graph.right_unit else (),
        times=_times(graph.days),
    )


def _drawn_section(section: Section) -> tuple[Section, list[DrawnGraph]]:
    return section, [draw_graph(graph) for graph in section.graphs]


def _label(series: Series) -> str:
    """Return the name of a line; what a search finds has names that only an account knows."""
    return "each instance" if "$" in series.label else series.label


def _limits(graph: Graph, axis: Axis) -> tuple[DrawnLimit, ...]:
    drawn: list[DrawnLimit] = []
    for limit in sorted(graph.limits, key=lambda limit: -limit.value):
        y = _down(axis, limit.value)
        below_another = bool(drawn) and not drawn[-1].on_left and y - drawn[-1].y < _LABEL_ROOM
        drawn.append(DrawnLimit(limit.label, y, on_left=below_another))
    return tuple(drawn)


def _points(values: tuple[float, ...], axis: Axis) -> str:
    step = 100 / (len(values) - 1)
    return " ".join(f"{index * step:.2f},{_down(axis, value):.2f}" for index, value in enumerate(values))


def _down(axis: Axis, value: float) -> float:
    return round(100 - axis.percent(value), 2)


def _ticks(axis: Axis) -> tuple[Tick, ...]:
    return tuple(Tick(round(100 - tick.percent, 2), tick.label) for tick in axis.ticks(short_number))


def _times(days: int) -> tuple[Tick, ...]:
    if days == 1:
        return tuple(Tick(round(100 * hour / 24, 2), f"{hour:02}:00") for hour in (0, 6, 12, 18, 24))
    return tuple(Tick(round(100 * day / days, 2), f"day {day}") for day in range(0, days + 1, 7))
