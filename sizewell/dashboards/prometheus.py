"""The configuration of YACE, a CloudWatch exporter for Prometheus, for the metrics that the dashboards read.

https://github.com/prometheus-community/yet-another-cloudwatch-exporter/blob/master/docs/configuration.md, "static_job_config",
read 2026-11-28.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from sizewell.dashboards.graph import Dashboard, Reading, Section
from sizewell.facts.durations import MINUTE_S
from sizewell.facts.metrics import Dimensions

#: How far back each scrape looks: CloudWatch has a datum some minutes after it was published.
LENGTH_S = 5 * MINUTE_S


def exporter_config(dashboards: Iterable[Dashboard]) -> dict[str, Any]:
    """Return the jobs of all workloads: one for each namespace and set of dimensions, which may have but one namespace.

    Metrics of jobs are left out: their dimensions are the names of jobs, which no configuration can know.
    """
    return {
        "apiVersion": "v1alpha1",
        "static": [
            job
            for dashboard in dashboards
            for section in dashboard.sections
            for job in _jobs(section, dashboard.region)
        ],
    }


def _jobs(section: Section, region: str) -> Iterator[dict[str, Any]]:
    found: dict[tuple[str, Dimensions], dict[str, list[str]]] = {}
    for reading in _readings(section):
        metrics = found.setdefault((reading.metric.namespace, reading.dimensions), {})
        statistics = metrics.setdefault(reading.metric.name, [])
        if reading.statistic not in statistics:
            statistics.append(reading.statistic)
    for (namespace, dimensions), metrics in found.items():
        yield {
            "name": section.title,
            "namespace": namespace,
            "regions": [region],
            "dimensions": [{"name": name, "value": value} for name, value in dimensions],
            "customTags": [{"key": "workload", "value": section.title}],
            "metrics": [
                {"name": name, "statistics": statistics, "period": MINUTE_S, "length": LENGTH_S}
                for name, statistics in metrics.items()
            ],
        }


def _readings(section: Section) -> Iterator[Reading]:
    for graph in section.graphs:
        for series in graph.series:
            yield from (found for found in series.readings.values() if isinstance(found, Reading))
