"""In which ways one alarm is weaker than another."""

import re
from collections.abc import Callable, Iterator

from sizewell.review.words import moved
from sizewell.templates.template import Resource
from sizewell.templates.values import mapping, maps, number, text

_UPPER = ("GreaterThanThreshold", "GreaterThanOrEqualToThreshold", "GreaterThanUpperThreshold")
_LOWER = ("LessThanThreshold", "LessThanOrEqualToThreshold", "LessThanLowerThreshold")
#: Of two operators of the same direction, the one that does not fire at the threshold itself is weaker.
_STRICT = ("GreaterThanThreshold", "LessThanThreshold")
#: How far missing data lead to an alarm; ``missing`` is what CloudWatch does by default.
_MISSING = {"breaching": 2, "missing": 1, "ignore": 1, "notBreaching": 0}
#: Between the lowest and the highest; where among the percentiles, only the data know.
_AVERAGE, _ABOVE_AVERAGE = "Average", ("Maximum", "Sum")
_PERCENTILE = re.compile(r"p(\d+(\.\d+)?)")


def weakenings(base: Resource, head: Resource) -> list[str]:
    """Return what makes ``head`` fire later or less often than ``base``, each as from -> to."""
    return [found for check in _CHECKS for found in check(base, head)]


def _threshold(base: Resource, head: Resource) -> Iterator[str]:
    before, after = (number(one.properties.get("Threshold")) for one in (base, head))
    operator = head.properties.get("ComparisonOperator")
    if before is None or after is None or operator != base.properties.get("ComparisonOperator"):
        return
    if (operator in _UPPER and after > before) or (operator in _LOWER and after < before):
        yield f"Threshold {moved(before, after)} ({operator})"


def _operator(base: Resource, head: Resource) -> Iterator[str]:
    before, after = (text(one.properties.get("ComparisonOperator")) for one in (base, head))
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
    before, after = (str(one.properties.get("TreatMissingData", "missing")) for one in (base, head))
    if before in _MISSING and after in _MISSING and _MISSING[after] < _MISSING[before]:
        yield f"TreatMissingData {moved(before, after)}"


def _statistic(base: Resource, head: Resource) -> Iterator[str]:
    before, after = _statistic_of(base), _statistic_of(head)
    operator = head.properties.get("ComparisonOperator")
    if (operator in _UPPER and _is_lower(after, before)) or (operator in _LOWER and _is_lower(before, after)):
        yield f"statistic {moved(before, after)}"


def _statistic_of(alarm: Resource) -> str:
    return str(alarm.properties.get("ExtendedStatistic") or alarm.properties.get("Statistic"))


def _is_lower(one: str, other: str) -> bool:
    """Tell whether a statistic is lower than another for the same data, which are never negative."""
    if _AVERAGE in (one, other):
        return (one == _AVERAGE and other in _ABOVE_AVERAGE) or (other == _AVERAGE and one == "Minimum")
    first, second = _rank(one), _rank(other)
    return first is not None and second is not None and first < second


def _rank(statistic: str) -> float | None:
    """Return a number that is higher for statistics that are higher for the same data; None where that is unknown."""
    if found := _PERCENTILE.fullmatch(statistic):
        return float(found[1])
    return {"Minimum": 0.0, "Maximum": 100.0, "Sum": 101.0}.get(statistic)


_CHECKS: tuple[Callable[[Resource, Resource], Iterator[str]], ...] = (
    _threshold,
    _operator,
    _datapoints,
    _period,
    _missing_data,
    _statistic,
)
