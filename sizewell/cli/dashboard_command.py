"""``sizewell dashboard``: the dashboards of an environment, from its plan."""

import json
from collections.abc import Iterator
from dataclasses import replace
from io import StringIO
from pathlib import Path

from sizewell.cli.errors import exit_unknown_workload, exit_with
from sizewell.cli.output import echo, write_files
from sizewell.dashboards.body import dashboard_json
from sizewell.dashboards.environment import dashboard_of
from sizewell.dashboards.grafana import grafana_json
from sizewell.dashboards.graph import Dashboard, Graph, Series
from sizewell.dashboards.prometheus import exporter_config
from sizewell.planning import load_plan


def load_dashboards(directory: Path, environment_name: str, workload_name: str = "") -> tuple[Dashboard, ...]:
    """Return the dashboards of all places, or what they show of one workload.

    Raises ``ConfigError``; ends the command where there is no such workload, and where the environment wants no dashboard.
    """
    plan = load_plan(directory, environment_name)
    names = [workload.name for workload in plan.workloads]
    if workload_name and workload_name not in names:
        exit_unknown_workload(workload_name, environment_name, names)
    found = (dashboard_of(plan, foundation) for foundation in plan.foundations.values())
    dashboards = tuple(dashboard for dashboard in found if dashboard is not None)
    if not dashboards:
        exit_with(f"{environment_name} has no dashboard: its configuration says dashboard: false")
    return tuple(_only(dashboards, workload_name)) if workload_name else dashboards


def bodies_to_json(dashboards: tuple[Dashboard, ...]) -> str:
    """Return the body of each dashboard by its name."""
    bodies = {dashboard.name: dashboard_json(dashboard) for dashboard in dashboards}
    return json.dumps(bodies, indent=2, ensure_ascii=False) + "\n"


def write_grafana(dashboards: tuple[Dashboard, ...], directory: Path) -> None:
    """Write a file for each dashboard, as Grafana imports and provisions them, and say so; raises ``RefusedError``."""
    texts = {
        directory / f"{dashboard.name}.json": json.dumps(
            grafana_json(dashboard), indent=2, ensure_ascii=False
        )
        + "\n"
        for dashboard in dashboards
    }
    write_files({path: text.encode() for path, text in texts.items()})
    for path in texts:
        echo(f"{path} is written: import it into Grafana.")


def write_prometheus(dashboards: tuple[Dashboard, ...], path: Path) -> None:
    """Write the configuration of the exporter, and say so; end the command where nothing is exported.

    Raises ``RefusedError`` where the file cannot be written.
    """
    if not any(section.graphs for dashboard in dashboards for section in dashboard.sections):
        exit_with(
            "nothing to export: metrics of pods are in Prometheus already, and a load balancer is named when it is deployed"
        )
    from ruamel.yaml import YAML

    text = StringIO()
    yaml = YAML()
    yaml.indent(mapping=2, sequence=4, offset=2)
    yaml.dump(exporter_config(dashboards), text)
    write_files({path: text.getvalue().encode()})
    echo(f"{path} is written: start the exporter with -config.file {path}.")


def graph_lines(dashboards: tuple[Dashboard, ...]) -> str:
    """Return what each dashboard draws, a line for each graph."""
    return "".join(f"{line}\n" for dashboard in dashboards for line in _lines(dashboard))


def _only(dashboards: tuple[Dashboard, ...], workload_name: str) -> Iterator[Dashboard]:
    for dashboard in dashboards:
        sections = tuple(section for section in dashboard.sections if section.title == workload_name)
        if sections:
            yield replace(dashboard, sections=sections, left_out=())
        elif workload_name in dashboard.left_out:
            exit_with(f"the dashboard {dashboard.name} has no room for {workload_name}")


def _lines(dashboard: Dashboard) -> Iterator[str]:
    yield f"{dashboard.name}, {dashboard.region}"
    for section in dashboard.sections:
        yield f"  {section.title}: {section.text}"
        yield from (f"    {graph.title}: {_drawn(graph)}" for graph in section.graphs)
    if dashboard.left_out:
        yield f"  no room for: {', '.join(dashboard.left_out)}"


def _drawn(graph: Graph) -> str:
    return ", ".join(dict.fromkeys(metric for series in graph.series for metric in _metrics(series)))


def _metrics(series: Series) -> Iterator[str]:
    for source in series.readings.values():
        yield f"{source.statistic} of {source.metric.name}"
