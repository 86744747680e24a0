"""Alarms on metrics of endpoints that no endpoint publishes: they deploy, and never fire.

CloudWatch compares namespace, metric and dimensions letter by letter, and an alarm must name all dimensions of a metric:
https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch_concepts.html. Which metrics there are is told in
``sizewell.facts.endpoint_metrics``.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from typing import Any

from sizewell.checks.endpoints import configuration_behind, is_asynchronous, is_serverless, variant_names
from sizewell.checks.rule import Finding, Rule, fault
from sizewell.checks.rules.alarms import ALARM
from sizewell.facts.endpoint_metrics import (
    FINER_DIMENSIONS,
    NOT_ASYNCHRONOUS,
    OF_SERVERLESS,
    endpoint_metrics,
)
from sizewell.facts.metrics import DIMENSIONS as METRIC_DIMENSIONS
from sizewell.templates.template import Resource, Template
from sizewell.templates.values import count, is_open, mapping, maps, text, with_placeholders

METRIC, DIMENSIONS = "alarm-metric", "alarm-dimensions"
RULES: tuple[Rule, ...] = (
    Rule(
        METRIC,
        "a metric of endpoints that is misspelt, in the wrong namespace, or not published by an "
        "asynchronous or a serverless endpoint",
        "It deploys and never fires. [Metrics]("
        "https://docs.aws.amazon.com/sagemaker/latest/dg/monitoring-cloudwatch.html), [asynchronous "
        "endpoints](https://docs.aws.amazon.com/sagemaker/latest/dg/async-inference-monitor.html), [serverless "
        "endpoints](https://docs.aws.amazon.com/sagemaker/latest/dg/serverless-endpoints-monitoring.html)",
    ),
    Rule(
        DIMENSIONS,
        "dimensions that the metric does not have, or a variant that the endpoint of the same template "
        "does not have",
        "It deploys and never fires. [Metrics]("
        "https://docs.aws.amazon.com/sagemaker/latest/dg/monitoring-cloudwatch.html)",
    ),
)


@dataclass(frozen=True, slots=True)
class _Metric:
    """What an alarm, or one of several metrics of an alarm, watches."""

    alarm: Resource
    path: str
    properties: Mapping[str, Any]

    def finding(self, rule_id: str, key: str, message: str, what_to_do: str) -> Finding:
        """Return a fault of one of its keys."""
        return fault(self.alarm, rule_id, f"{self.path}{key}", message, what_to_do)


def check(template: Template) -> Iterator[Finding]:
    """Yield the faults of every alarm on metrics of endpoints."""
    for alarm in template.of_type(ALARM):
        for metric in _watched(alarm):
            yield from _metric(template, metric)


@cache
def known_metrics() -> dict[str, dict[str, tuple[str, ...]]]:
    """Return the kinds of every metric by namespace and name."""
    known: dict[str, dict[str, tuple[str, ...]]] = {}
    for metric in endpoint_metrics().values():
        known.setdefault(metric.namespace, {})[metric.name] = metric.kinds
    return known


def _watched(alarm: Resource) -> Iterator[_Metric]:
    yield _Metric(alarm, "", alarm.written)
    for index, query in maps(alarm.written.get("Metrics")):
        metric = mapping(mapping(query.get("MetricStat")).get("Metric"))
        yield _Metric(alarm, f"Metrics.{index}.MetricStat.Metric.", metric)


def _metric(template: Template, metric: _Metric) -> Iterator[Finding]:
    namespace, name = text(metric.properties.get("Namespace")), text(metric.properties.get("MetricName"))
    if namespace is None or name is None or is_open(namespace) or is_open(name):
        return
    known = known_metrics()
    if namespace not in known:
        meant = [other for other in known if _plain(other) == _plain(namespace)]
        for other in meant:
            message = f"nothing is published in the namespace {namespace}"
            yield metric.finding(METRIC, "Namespace", message, f"write {other}")
        return
    if kinds := known[namespace].get(name):
        yield from _dimensions(metric, name, kinds)
        yield from _endpoint(template, metric, name)
        return
    homes = [other for other, metrics in known.items() if name in metrics]
    matches = get_close_matches(name, known[namespace], n=1, cutoff=0.85)
    # SageMaker publishes more than endpoints do: a name that resembles none of theirs is not judged.
    if homes:
        message = f"{name} is not published in {namespace}"
        yield metric.finding(METRIC, "Namespace", message, f"write {homes[0]}")
    elif matches:
        message = f"endpoints publish no metric {name}"
        yield metric.finding(METRIC, "MetricName", message, f"did you mean {matches[0]}?")


def _dimensions(metric: _Metric, name: str, kinds: tuple[str, ...]) -> Iterator[Finding]:
    given = metric.properties.get("Dimensions", [])
    names = [dimension.get("Name") for _, dimension in maps(given)]
    if count(given) is None or not all(isinstance(given_name, str) for given_name in names):
        return
    if any(set(names) - FINER_DIMENSIONS == set(METRIC_DIMENSIONS[kind]) for kind in kinds):
        return
    allowed = " or ".join(" and ".join(METRIC_DIMENSIONS[kind]) for kind in kinds)
    shown = ", ".join(str(given_name) for given_name in names) or "none"
    message = f"{name} has the dimensions {allowed}, given: {shown}"
    yield metric.finding(DIMENSIONS, "Dimensions", message, f"name {allowed}; every letter counts")


def _endpoint(template: Template, metric: _Metric, name: str) -> Iterator[Finding]:
    """Compare with the endpoint, where it stands in the same template."""
    values = {
        dimension.get("Name"): with_placeholders(dimension.get("Value"))
        for _, dimension in maps(metric.properties.get("Dimensions"))
        if isinstance(dimension.get("Name"), str)
    }
    config = configuration_behind(template, values.get("EndpointName"))
    if config is None:
        return
    if name in NOT_ASYNCHRONOUS and is_asynchronous(config):
        message = f"an asynchronous endpoint does not publish {name}"
        remedy = "watch ApproximateBacklogSizePerInstance, with the dimension EndpointName"
        yield metric.finding(METRIC, "MetricName", message, remedy)
    if is_serverless(config) and name not in OF_SERVERLESS:
        message = f"a serverless endpoint does not publish {name}"
        remedy = f"watch one of {', '.join(sorted(OF_SERVERLESS))}"
        yield metric.finding(METRIC, "MetricName", message, remedy)
    variant, names = values.get("VariantName"), variant_names(config)
    if variant is not None and names is not None and not is_open(variant) and variant not in names:
        message = f"the endpoint has no variant {variant}"
        yield metric.finding(DIMENSIONS, "Dimensions", message, f"write {' or '.join(sorted(names))}")


def _plain(namespace: str) -> str:
    return namespace.lower().strip("/")
