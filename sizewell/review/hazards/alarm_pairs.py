"""A CloudWatch alarm on both sides, also where its logical id is another one: what it watches, in which ways it is weaker."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sizewell.review.words import moved, shown
from sizewell.templates.deployment import DeploymentDiff
from sizewell.templates.template import Resource, StackPair
from sizewell.templates.values import mapping, maps, number, text

ALARM = "AWS::CloudWatch::Alarm"
COMPOSITE = "AWS::CloudWatch::CompositeAlarm"
_ALARM_TYPES = (ALARM, COMPOSITE)
_UPPER = ("GreaterThanThreshold", "GreaterThanOrEqualToThreshold", "GreaterThanUpperThreshold")
_LOWER = ("LessThanThreshold", "LessThanOrEqualToThreshold", "LessThanLowerThreshold")
#: Of two operators of the same direction, the one that does not fire at the threshold itself is weaker.
_STRICT = ("GreaterThanThreshold", "LessThanThreshold")
#: How far missing data lead to an alarm; ``missing`` is what CloudWatch does by default.
_MISSING = {"breaching": 2, "missing": 1, "ignore": 1, "notBreaching": 0}
#: Between the lowest and the highest; where among the percentiles, only the data know.
_AVERAGE, _ABOVE_AVERAGE = "Average", ("Maximum", "Sum")
_PERCENTILE = re.compile(r"p(\d+(\.\d+)?)")
#: The share of the values up to a bound. Where an alarm is on all others, they are those above it, such as slow requests.
_COUNTED = "values count above"
_SHARE_UP_TO = re.compile(r"PR\(0?:(\d+(?:\.\d+)?)\)")


@dataclass(frozen=True, slots=True)
class AlarmPair:
    """The same alarm; ``head`` is None where it is gone."""

    stack: StackPair
    base: Resource
    head: Resource | None


def name_of(alarm: Resource) -> str:
    """Return the name, or the place in the app where CloudFormation makes it up."""
    return text(alarm.properties.get("AlarmName")) or alarm.path


def metric_name(alarm: Resource) -> str | None:
    """Return the metric, or the first of an expression."""
    return next((name for metric in _metrics(alarm) if (name := text(metric.get("MetricName")))), None)


def dimension(alarm: Resource, name: str) -> str | None:
    """Return the value of a dimension, of an expression that of its first metric that has it."""
    for metric in _metrics(alarm):
        for _, written in maps(metric.get("Dimensions")):
            if written.get("Name") == name:
                return text(written.get("Value"))
    return None


def _metrics(alarm: Resource) -> Iterator[Mapping[str, Any]]:
    yield alarm.properties
    for _, query in maps(alarm.properties.get("Metrics")):
        yield mapping(mapping(query.get("MetricStat")).get("Metric"))


def alarm_pairs(diff: DeploymentDiff) -> Iterator[AlarmPair]:
    """Yield the alarms of the stacks that both sides have, and that are not the same on both."""
    gone: list[tuple[StackPair, Resource]] = []
    new: dict[tuple[str, str], Resource] = {}
    for pair in diff.resources(*_ALARM_TYPES):
        if pair.stack.head is None:
            continue
        if pair.base and pair.head and pair.is_kept:
            if pair.base.properties != pair.head.properties:
                yield AlarmPair(pair.stack, pair.base, pair.head)
        elif pair.base and pair.head is None:
            gone.append((pair.stack, pair.base))
        elif pair.head and pair.base is None:
            new[pair.stack.name, _watched(pair.head)] = pair.head
    for stack, base in gone:
        yield AlarmPair(stack, base, new.get((stack.name, _watched(base))))


def _watched(alarm: Resource) -> str:
    """Return what an alarm watches, so that the same alarm under another logical id is found."""
    keys = ("Namespace", "MetricName", "Dimensions", "Statistic", "ExtendedStatistic", "Metrics", "AlarmRule")
    return repr([alarm.properties.get(key) for key in keys])


def watched_metrics(alarm: Resource, names: Mapping[str, str]) -> frozenset[str]:
    """Return the metrics with their dimensions, also those inside of a metric expression.

    ``names`` are the texts that mean the same as others: the name of an endpoint, by reference and as it is.
    """
    return frozenset(_metric(metric, names) for metric in _metrics(alarm) if text(metric.get("MetricName")))


def _metric(metric: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """Return a metric in one line: ``AWS/SageMaker ModelLatency of EndpointName chat``."""
    dimensions = sorted(
        f"{written.get('Name')} {names.get(shown(written.get('Value')), shown(written.get('Value')))}"
        for _, written in maps(metric.get("Dimensions"))
    )
    of = f" of {', '.join(dimensions)}" if dimensions else ""
    return f"{shown(metric.get('Namespace'))} {metric['MetricName']}{of}"


_TENFOLD = 10


def weakenings(base: Resource, head: Resource) -> list[str]:
    """Return what makes ``head`` fire later or less often than ``base``, each as from -> to."""
    return [found for check in _CHECKS for found in check(base, head)]


def _threshold(base: Resource, head: Resource) -> Iterator[str]:
    before, after = (number(alarm.properties.get("Threshold")) for alarm in (base, head))
    operator = head.properties.get("ComparisonOperator")
    if before is None or after is None or operator != base.properties.get("ComparisonOperator"):
        return
    if (operator in _UPPER and after > before) or (operator in _LOWER and after < before):
        yield f"Threshold {moved(before, after)} ({operator})"


def stricter_threshold(base: Resource, head: Resource) -> str | None:
    """Return a threshold that moved tenfold or more towards what is usual, as a mistaken unit does, as from -> to."""
    thresholds = [number(alarm.properties.get("Threshold")) for alarm in (base, head)]
    for name, (before, after) in {
        "Threshold": thresholds,
        _COUNTED: [_bound(base), _bound(head)],
    }.items():
        if before is not None and after is not None and _is_much_stricter(base, head, before, after):
            return f"{name} {moved(before, after)}"
    return None


def _is_much_stricter(base: Resource, head: Resource, before: float, after: float) -> bool:
    operator = head.properties.get("ComparisonOperator")
    if operator != base.properties.get("ComparisonOperator"):
        return False
    return (operator in _UPPER and 0 < after * _TENFOLD <= before) or (
        operator in _LOWER and 0 < before * _TENFOLD <= after
    )


def _share_above_bound(base: Resource, head: Resource) -> Iterator[str]:
    before, after = _bound(base), _bound(head)
    if before is not None and after is not None and after > before:
        yield f"{_COUNTED} {moved(before, after)}"


def _bound(alarm: Resource) -> float | None:
    """Return the bound above which values count, of an alarm that goes off when their share is too large; None of any other."""
    if alarm.properties.get("ComparisonOperator") not in _UPPER:
        return None
    queries = [query for _, query in maps(alarm.properties.get("Metrics"))]
    expressions = " ".join(str(query.get("Expression", "")) for query in queries)
    for query in queries:
        found = _SHARE_UP_TO.fullmatch(str(mapping(query.get("MetricStat")).get("Stat")))
        if found and f"100 - {query.get('Id')}" in expressions:
            return float(found[1])
    return None


def _operator(base: Resource, head: Resource) -> Iterator[str]:
    before, after = (text(alarm.properties.get("ComparisonOperator")) for alarm in (base, head))
    if before == after or before is None or after is None:
        return
    turned = (before in _UPPER and after in _LOWER) or (before in _LOWER and after in _UPPER)
    if turned or (after in _STRICT and before not in _STRICT):
        yield f"ComparisonOperator {moved(before, after)}"


def _datapoints(base: Resource, head: Resource) -> Iterator[str]:
    (m_base, n_base), (m_head, n_head) = _needed(base), _needed(head)
    if m_base is None or m_head is None or n_base is None or n_head is None:
        return
    if m_head > m_base or (m_head == m_base and n_head < n_base):
        yield f"DatapointsToAlarm {m_base:g} of {n_base:g} → {m_head:g} of {n_head:g}"


def _needed(alarm: Resource) -> tuple[float | None, float | None]:
    periods = number(alarm.properties.get("EvaluationPeriods"))
    points = alarm.properties.get("DatapointsToAlarm")
    return (periods if points is None else number(points)), periods


def _period(base: Resource, head: Resource) -> Iterator[str]:
    before, after = _periods(base), _periods(head)
    for name in sorted(before.keys() & after.keys()):
        if after[name] > before[name]:
            where = f" of {name}" if name else ""
            yield f"Period{where} {moved(before[name], after[name])} seconds"


def _periods(alarm: Resource) -> dict[str, float]:
    """Return the period of the metric, under no name, or those of the queries of a metric expression by their id."""
    found = {"": number(alarm.properties.get("Period"))}
    for _, query in maps(alarm.properties.get("Metrics")):
        written = mapping(query.get("MetricStat")).get("Period", query.get("Period"))
        found[str(query.get("Id"))] = number(written)
    return {name: seconds for name, seconds in found.items() if seconds is not None}


def _missing_data(base: Resource, head: Resource) -> Iterator[str]:
    before, after = (str(alarm.properties.get("TreatMissingData", "missing")) for alarm in (base, head))
    if before in _MISSING and after in _MISSING and _MISSING[after] < _MISSING[before]:
        yield f"TreatMissingData {moved(before, after)}"


def _statistic(base: Resource, head: Resource) -> Iterator[str]:
    before, after = _statistic_of(base), _statistic_of(head)
    operator = head.properties.get("ComparisonOperator")
    if (operator in _UPPER and _is_lower(after, before)) or (operator in _LOWER and _is_lower(before, after)):
        yield f"statistic {moved(before, after)}"


def _statistic_of(alarm: Resource) -> str:
    return str(alarm.properties.get("ExtendedStatistic") or alarm.properties.get("Statistic"))


def _is_lower(statistic: str, other: str) -> bool:
    """Tell whether a statistic is lower than another for the same data, which are never negative."""
    if _AVERAGE in (statistic, other):
        return (statistic == _AVERAGE and other in _ABOVE_AVERAGE) or (
            other == _AVERAGE and statistic == "Minimum"
        )
    first, second = _rank(statistic), _rank(other)
    return first is not None and second is not None and first < second


def _rank(statistic: str) -> float | None:
    """Return a number that is higher for statistics that are higher for the same data; None where that is unknown."""
    if found := _PERCENTILE.fullmatch(statistic):
        return float(found[1])
    return {"Minimum": 0.0, "Maximum": 100.0, "Sum": 101.0}.get(statistic)


_CHECKS: tuple[Callable[[Resource, Resource], Iterator[str]], ...] = (
    _threshold,
    _share_above_bound,
    _operator,
    _datapoints,
    _period,
    _missing_data,
    _statistic,
)
