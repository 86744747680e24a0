"""The JSON of a CloudWatch dashboard.

https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/CloudWatch-Dashboard-Body-Structure.html; searches:
https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/search-expression-syntax.html, both read 2026-11-28
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from sizewell.dashboards.graph import Dashboard, Graph, Reading, Search, Section, Series
from sizewell.facts.dashboards import GRID_COLUMNS

_GRAPHS_IN_A_ROW = 3
_WIDTH, _HEIGHT, _TEXT_HEIGHT = GRID_COLUMNS // _GRAPHS_IN_A_ROW, 6, 2
_ID = re.compile(r"\b[a-z]\w*\b")


def body_of(dashboard: Dashboard) -> str:
    """Return the body as ``PutDashboard`` takes it."""
    return json.dumps(dashboard_json(dashboard), separators=(",", ":"), ensure_ascii=False)


def dashboard_json(dashboard: Dashboard) -> dict[str, Any]:
    """Return the body as data; periods follow the time that people look at."""
    return {"start": "-P1D", "periodOverride": "auto", "widgets": list(_widgets(dashboard))}


def widget_counts(dashboard: Dashboard) -> tuple[int, int]:
    """Return how many widgets the body has, and how many metrics in all of them."""
    widgets = list(_widgets(dashboard))
    return len(widgets), sum(len(widget["properties"].get("metrics", ())) for widget in widgets)


def _widgets(dashboard: Dashboard) -> Iterator[dict[str, Any]]:
    top = 0
    for section in dashboard.sections:
        yield _text(top, f"## {section.title}\n{section.text}")
        top += _TEXT_HEIGHT
        for index, graph in enumerate(section.graphs):
            row, column = divmod(index, _GRAPHS_IN_A_ROW)
            yield {
                "type": "metric",
                "x": column * _WIDTH,
                "y": top + row * _HEIGHT,
                "width": _WIDTH,
                "height": _HEIGHT,
                "properties": _properties(graph, dashboard.region),
            }
        top += _HEIGHT * _rows(section)
    if dashboard.left_out:
        names = ", ".join(dashboard.left_out)
        yield _text(top, f"A dashboard has no room for these workloads: {names}")


def _rows(section: Section) -> int:
    return -(-len(section.graphs) // _GRAPHS_IN_A_ROW)


def _text(top: int, markdown: str) -> dict[str, Any]:
    return {
        "type": "text",
        "x": 0,
        "y": top,
        "width": GRID_COLUMNS,
        "height": _TEXT_HEIGHT,
        "properties": {"markdown": markdown},
    }


def _properties(graph: Graph, region: str) -> dict[str, Any]:
    axes = {"left": graph.unit} | ({"right": graph.right_unit} if graph.right_unit else {})
    properties: dict[str, Any] = {
        "title": graph.title,
        "region": region,
        "view": "timeSeries",
        "stacked": False,
        "period": 60,
        "metrics": [line for index, series in enumerate(graph.series) for line in _lines(series, index)],
        "yAxis": {side: {"label": unit, "min": 0, "showUnits": False} for side, unit in axes.items()},
    }
    if graph.limits:
        limits = [{"label": limit.label, "value": limit.value} for limit in graph.limits]
        properties["annotations"] = {"horizontal": limits}
    if graph.days != 1:
        properties["start"] = f"-P{graph.days}D"
    return properties


def _lines(series: Series, index: int) -> Iterator[list[Any]]:
    """Yield the metrics that a series reads, hidden, and what its expression makes of them; a metric alone is itself."""
    ids = {name: f"{name}{index}" for name in series.readings}
    shown = {"label": series.label} | ({"yAxis": "right"} if series.on_right_axis else {})
    searches = {name: _search(found) for name, found in series.readings.items() if isinstance(found, Search)}
    read = {name: found for name, found in series.readings.items() if isinstance(found, Reading)}
    if series.expression in read:
        yield _metric(read[series.expression], shown)
        return
    for name, reading in read.items():
        yield _metric(reading, {"id": ids[name], "visible": False})
    expression = _ID.sub(
        lambda found: searches.get(found[0]) or ids.get(found[0], found[0]), series.expression
    )
    yield [{"expression": expression, "id": f"e{index}", **shown}]


def _metric(reading: Reading, options: dict[str, Any]) -> list[Any]:
    pairs = (part for pair in reading.dimensions for part in pair)
    return [
        reading.metric.namespace,
        reading.metric.name,
        *pairs,
        {"stat": reading.statistic, **options},
    ]


def _search(search: Search) -> str:
    schema = f'{{"{search.metric.namespace}", {search.dimension}}}'
    term = f'MetricName="{search.metric.name}" {search.dimension}={search.contains}'
    return f"SEARCH('{schema} {term}', '{search.statistic}')"
