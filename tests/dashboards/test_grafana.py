"""What Grafana imports has the fields that its schemas name, and reads what the CloudWatch dashboard reads."""

import json
import re
from typing import Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from sizewell.dashboards.body import dashboard_json
from sizewell.dashboards.environment import dashboard_of
from sizewell.dashboards.grafana import grafana_json
from sizewell.dashboards.graph import Dashboard
from sizewell.planning import load_plan
from tests.synthesis import PROJECT_ROOT

ENVIRONMENTS = sorted(path.parent for path in PROJECT_ROOT.glob("examples/*/config/prod.yaml"))


class Schema(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, alias_generator=to_camel)


class DataSource(Schema):
    type: Literal["cloudwatch"]
    uid: str


class Place(Schema):
    x: int = Field(ge=0, lt=24)
    y: int = Field(ge=0)
    w: int = Field(gt=0, le=24)
    h: int = Field(gt=0)


class Query(Schema):
    """``CloudWatchMetricsQuery`` of grafana/kind-registry, grafana/next/composable/cloudwatch/dataquery.cue."""

    ref_id: str
    id: str = Field(pattern=r"^[a-z][a-zA-Z0-9_]*$")
    datasource: DataSource
    query_mode: Literal["Metrics"]
    metric_query_type: Literal[0]
    metric_editor_mode: Literal[0, 1]
    region: str = Field(min_length=1)
    namespace: str
    metric_name: str
    dimensions: dict[str, str]
    match_exact: bool
    period: str
    statistic: str
    expression: str
    label: str
    hide: bool


class Step(Schema):
    value: float | None
    color: str


class Thresholds(Schema):
    mode: Literal["absolute"]
    steps: list[Step]


class ThresholdsStyle(Schema):
    mode: Literal["off", "line", "dashed", "area", "line+area", "dashed+area", "series"]


class Custom(Schema):
    axis_label: str
    thresholds_style: ThresholdsStyle | None = None


class Defaults(Schema):
    min: int
    custom: Custom
    thresholds: Thresholds | None = None


class Matcher(Schema):
    id: Literal["byName"]
    options: str


class Override(Schema):
    matcher: Matcher
    properties: list[dict[str, str]]


class FieldConfig(Schema):
    defaults: Defaults
    overrides: list[Override]


class Panel(Schema):
    """``#Panel`` of grafana/kind-registry, grafana/next/core/dashboard/dashboard.cue."""

    id: int = Field(gt=0)
    type: Literal["text", "timeseries"]
    grid_pos: Place
    title: str | None = None
    description: str | None = None
    time_from: str | None = Field(default=None, pattern=r"^\d+d$")
    datasource: DataSource | None = None
    targets: list[Query] = []
    options: dict[str, str] = {}
    field_config: FieldConfig | None = None


class GrafanaDashboard(Schema):
    """``spec`` of the same file."""

    title: str
    schema_version: int
    time: dict[Literal["from", "to"], str]
    templating: dict[Literal["list"], list[dict[str, str]]]
    panels: list[Panel]


def dashboards(directory: Any) -> list[Dashboard]:
    plan = load_plan(directory, "prod")
    found = (dashboard_of(plan, foundation) for foundation in plan.foundations.values())
    return [dashboard for dashboard in found if dashboard is not None]


@pytest.mark.parametrize("directory", ENVIRONMENTS, ids=lambda path: path.parent.name)
def test_grafana_reads_what_cloudwatch_reads(directory: Any) -> None:
    for dashboard in dashboards(directory):
        grafana = GrafanaDashboard.model_validate(json.loads(json.dumps(grafana_json(dashboard))))
        widgets = dashboard_json(dashboard)["widgets"]
        assert len(grafana.panels) == len(widgets) == len({panel.id for panel in grafana.panels})
        for panel, widget in zip(grafana.panels, widgets, strict=True):
            lines = widget["properties"].get("metrics", [])
            assert [as_line(query) for query in panel.targets] == [
                [*line[:-1], line[-1].get("expression", line[-1].get("stat"))] for line in lines
            ]


@pytest.mark.parametrize("directory", ENVIRONMENTS, ids=lambda path: path.parent.name)
def test_every_expression_finds_its_queries(directory: Any) -> None:
    for dashboard in dashboards(directory):
        for panel in GrafanaDashboard.model_validate(grafana_json(dashboard)).panels:
            ids = [query.id for query in panel.targets]
            assert len(ids) == len(set(ids))
            used = {
                name
                for query in panel.targets
                if not query.expression.startswith("SEARCH")
                for name in re.findall(r"\b[a-z]\w*\b", query.expression)
            }
            assert used <= set(ids)
            assert {query.id for query in panel.targets if query.hide} <= used


def test_a_threshold_is_a_line_that_the_description_names() -> None:
    (dashboard,) = dashboards(PROJECT_ROOT / "config")
    panels = GrafanaDashboard.model_validate(grafana_json(dashboard)).panels
    latency = next(panel for panel in panels if panel.title == "Model latency")
    assert latency.description == "alarm: p95: 100"
    assert latency.field_config is not None
    defaults = latency.field_config.defaults
    assert defaults.thresholds is not None
    assert [step.value for step in defaults.thresholds.steps] == [None, 100]
    assert defaults.custom.thresholds_style == ThresholdsStyle(mode="dashed")


def test_what_is_on_the_right_axis_of_cloudwatch_is_there_in_grafana() -> None:
    (dashboard,) = dashboards(PROJECT_ROOT / "config")
    panels = GrafanaDashboard.model_validate(grafana_json(dashboard)).panels
    cost = next(panel for panel in panels if panel.title == "Instances and their cost")
    assert cost.field_config is not None
    (override,) = cost.field_config.overrides
    assert override.matcher.options == "USD per hour"
    assert {"id": "custom.axisPlacement", "value": "right"} in override.properties


def as_line(query: Query) -> list[str]:
    if query.expression:
        return [query.expression]
    pairs = [part for pair in query.dimensions.items() for part in pair]
    return [query.namespace, query.metric_name, *pairs, query.statistic]
