"""A CloudWatch alarm on both sides, also where its logical id is another one."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sizewell.templates.shown import one_line
from sizewell.templates.template import Resource, ResourcePair
from sizewell.templates.values import mapping, maps, text

ALARM = "AWS::CloudWatch::Alarm"
ALARM_TYPES = (ALARM, "AWS::CloudWatch::CompositeAlarm")


@dataclass(frozen=True, slots=True)
class AlarmPair:
    """The same alarm; ``head`` is None where it is gone."""

    stack: str
    base: Resource
    head: Resource | None


def name_of(alarm: Resource) -> str:
    """Return the name, or the place in the app where CloudFormation makes it up."""
    return text(alarm.properties.get("AlarmName")) or alarm.path


def dimension(alarm: Resource, name: str) -> str | None:
    """Return the value of a dimension."""
    for _, one in maps(alarm.properties.get("Dimensions")):
        if one.get("Name") == name:
            return text(one.get("Value"))
    return None


def alarm_pairs(pairs: Iterable[ResourcePair]) -> Iterator[AlarmPair]:
    """Yield the alarms of the stacks that both sides have, and that are not the same on both."""
    gone: list[tuple[str, Resource]] = []
    new: dict[tuple[str, str], Resource] = {}
    for pair in pairs:
        if pair.stack.head is None:
            continue
        if pair.base and pair.head and pair.is_kept:
            if pair.base.properties != pair.head.properties:
                yield AlarmPair(pair.stack.name, pair.base, pair.head)
        elif pair.base and pair.head is None:
            gone.append((pair.stack.name, pair.base))
        elif pair.head and pair.base is None:
            new[pair.stack.name, _watched(pair.head)] = pair.head
    for stack, base in gone:
        yield AlarmPair(stack, base, new.get((stack, _watched(base))))


def _watched(alarm: Resource) -> str:
    """Return what an alarm watches, so that the same alarm under another logical id is found."""
    keys = ("Namespace", "MetricName", "Dimensions", "Statistic", "ExtendedStatistic", "Metrics", "AlarmRule")
    return repr([alarm.properties.get(key) for key in keys])


def watched_metrics(alarm: Resource, names: Mapping[str, str]) -> frozenset[str]:
    """Return the metrics with their dimensions, also those inside of a metric expression.

    ``names`` are the texts that mean the same as others: the name of an endpoint, by reference and as it is.
    """
    metrics = [alarm.properties] if "MetricName" in alarm.properties else []
    for _, query in maps(alarm.properties.get("Metrics")):
        metrics.append(mapping(mapping(query.get("MetricStat")).get("Metric")))
    return frozenset(_metric(metric, names) for metric in metrics if text(metric.get("MetricName")))


def _metric(metric: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """Return a metric in one line: ``AWS/SageMaker ModelLatency of EndpointName chat``."""
    dimensions = sorted(
        f"{one.get('Name')} {names.get(one_line(one.get('Value')), one_line(one.get('Value')))}"
        for _, one in maps(metric.get("Dimensions"))
    )
    of = f" of {', '.join(dimensions)}" if dimensions else ""
    return f"{one_line(metric.get('Namespace'))} {metric['MetricName']}{of}"
