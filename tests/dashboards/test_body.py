"""The body is what ``PutDashboard`` takes, and no graph of it can be of a metric that nobody publishes."""

import json
import re
from typing import Any

import pytest

from sizewell.config.metric_math import read_expression
from sizewell.dashboards.body import body_of
from sizewell.dashboards.environment import dashboard_of
from sizewell.dashboards.graph import Dashboard, Graph, Limit, NotPublishedError, Reading, Search, Section
from sizewell.dashboards.lines import line
from sizewell.facts.dashboards import MAX_BODY_CHARACTERS, MAX_METRICS, MAX_WIDGETS
from sizewell.facts.metrics import UnknownMetricError, metric
from sizewell.planning import load_plan
from sizewell.planning.build import build_plan
from tests.instance_selection.builders import catalog, gpu_instance
from tests.planning.builders import endpoint, environment
from tests.synthesis import PROJECT_ROOT

ENVIRONMENTS = sorted(path.parent for path in PROJECT_ROOT.glob("examples/*/config/prod.yaml"))
LATENCY = metric("AWS/SageMaker", "ModelLatency")
OF_VARIANT = (("EndpointName", "chat"), ("VariantName", "primary"))


def widgets(dashboard: Dashboard) -> list[dict[str, Any]]:
    body = json.loads(body_of(dashboard))
    assert body.keys() == {"start", "periodOverride", "widgets"}
    found: list[dict[str, Any]] = body["widgets"]
    return found


def graph_of(graph: Graph) -> dict[str, Any]:
    section = Section(title="chat", text="", graphs=(graph,))
    _, found = widgets(Dashboard(name="demo", region="eu-west-1", sections=(section,)))
    properties: dict[str, Any] = found["properties"]
    return properties


def test_a_graph_is_a_widget() -> None:
    series = (
        line(
            "p95", Reading(metric=LATENCY, statistic="p95", dimensions=OF_VARIANT), 5, expression="m / 1000"
        ),
        line(
            "raw", Reading(metric=LATENCY, statistic="Average", dimensions=OF_VARIANT), 5, on_right_axis=True
        ),
    )
    graph = Graph(
        title="Latency",
        unit="ms",
        right_unit="µs",
        series=series,
        limits=(Limit("alarm: p95", 10.0),),
        days=14,
    )
    found = ["AWS/SageMaker", "ModelLatency", "EndpointName", "chat", "VariantName", "primary"]
    assert graph_of(graph) == {
        "title": "Latency",
        "region": "eu-west-1",
        "view": "timeSeries",
        "stacked": False,
        "period": 60,
        "metrics": [
            [*found, {"stat": "p95", "id": "m0", "visible": False}],
            [{"expression": "m0 / 1000", "id": "e0", "label": "p95"}],
            [*found, {"stat": "Average", "label": "raw", "yAxis": "right"}],
        ],
        "yAxis": {
            "left": {"label": "ms", "min": 0, "showUnits": False},
            "right": {"label": "µs", "min": 0, "showUnits": False},
        },
        "annotations": {"horizontal": [{"label": "alarm: p95", "value": 10.0}]},
        "start": "-P14D",
    }


def test_a_search_finds_the_jobs_of_a_workload() -> None:
    cpu = metric("/aws/sagemaker/TrainingJobs", "CPUUtilization")
    search = Search(metric=cpu, statistic="Average", dimension="Host", contains="demo-prod-train")
    (found,) = graph_of(Graph(title="CPU", unit="%", series=(line("host", search, 50),)))["metrics"]
    assert found[0]["expression"] == (
        "SEARCH('{\"/aws/sagemaker/TrainingJobs\", Host} MetricName=\"CPUUtilization\" Host=demo-prod-train', 'Average')"
    )


@pytest.mark.parametrize("config", ENVIRONMENTS, ids=lambda path: path.parent.name)
def test_every_example_has_the_documented_shape(config: Any) -> None:
    plan = load_plan(config, "prod")
    dashboard = dashboard_of(plan, plan.foundation)
    assert dashboard is not None
    assert re.fullmatch(r"[A-Za-z0-9_-]{1,255}", dashboard.name)
    places: set[tuple[int, int]] = set()
    for widget in widgets(dashboard):
        assert widget.keys() == {"type", "x", "y", "width", "height", "properties"}
        assert widget["x"] + widget["width"] <= 24
        cells = {
            (widget["x"] + dx, widget["y"] + dy)
            for dx in range(widget["width"])
            for dy in range(widget["height"])
        }
        assert not cells & places, "two widgets overlap"
        places |= cells
        if widget["type"] == "text":
            assert widget["properties"]["markdown"]
            continue
        assert widget["type"] == "metric"
        _check_metrics(widget["properties"]["metrics"])


def _check_metrics(metrics: list[list[Any]]) -> None:
    options = [one[-1] for one in metrics]
    ids = [one["id"] for one in options if "id" in one]
    assert len(ids) == len(set(ids))
    assert any(one.get("visible", True) for one in options)
    for one in options:
        if "expression" in one:
            assert re.fullmatch(r"[a-z][A-Za-z0-9_]{0,254}", one["id"])
            if "SEARCH" not in one["expression"]:
                assert read_expression(one["expression"]).ids <= set(ids)


def test_a_dashboard_holds_what_cloudwatch_takes_and_names_the_rest() -> None:
    names = [f"model-{number}" for number in range(90)]
    plan = build_plan(
        environment({name: endpoint() for name in names}),
        catalog(gpu_instance(), usd_per_hour={"ml.g9.xlarge": 1.0}),
    )
    dashboard = dashboard_of(plan, plan.foundation)
    assert dashboard is not None
    shown = [section.title for section in dashboard.sections]
    assert [*shown, *dashboard.left_out] == names
    found = widgets(dashboard)
    assert MAX_WIDGETS - 10 < len(found) <= MAX_WIDGETS
    assert sum(len(one["properties"].get("metrics", [])) for one in found) <= MAX_METRICS
    assert len(body_of(dashboard)) <= MAX_BODY_CHARACTERS
    assert found[-1]["properties"]["markdown"].endswith(
        f"{dashboard.left_out[0]}, {', '.join(dashboard.left_out[1:])}"
    )


def test_an_environment_may_do_without() -> None:
    plan = build_plan(environment(dashboard=False), catalog(gpu_instance()))
    assert plan.foundation.dashboard_name is None
    assert dashboard_of(plan, plan.foundation) is None


def test_what_nobody_publishes_cannot_be_drawn() -> None:
    with pytest.raises(UnknownMetricError):
        metric("AWS/SageMaker", "Latency")
    with pytest.raises(NotPublishedError, match="OverheadLatency has no p99, but: Average, Sum"):
        Reading(metric=metric("AWS/SageMaker", "OverheadLatency"), statistic="p99", dimensions=OF_VARIANT)
    with pytest.raises(
        NotPublishedError, match="ModelLatency in AWS/SageMaker is not published with EndpointName"
    ):
        Reading(metric=LATENCY, statistic="p99", dimensions=OF_VARIANT[:1])
    with pytest.raises(NotPublishedError, match="has no Average, but: none that is known"):
        Search(
            metric=metric("/aws/sagemaker/Endpoints", "CPUReservation"),
            statistic="Average",
            dimension="EndpointName",
            contains="demo",
        )
