"""The alarms of a template, and what they do with a trace."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sizewell.facts.durations import MINUTE_S
from tools.benchmarks.alarm_replay.composites import composite_states, unsuppressed
from tools.benchmarks.alarm_replay.evaluation import ALARM, INSUFFICIENT_DATA, States, states_of
from tools.benchmarks.alarm_replay.expressions import value_of
from tools.benchmarks.alarm_replay.series import MISSING, Floats, Series, percentile_of

Metric = tuple[str, str, frozenset[tuple[str, str]]]
Published = Mapping[Metric, Series]


@dataclass(frozen=True)
class TemplateAlarm:
    """``properties`` have no reference any more; ``notifies`` are the states that a topic hears of, OK apart."""

    name: str
    properties: Mapping[str, Any]
    notifies: frozenset[int]

    @property
    def is_composite(self) -> bool:
        """Whether it watches other alarms."""
        return "AlarmRule" in self.properties

    @property
    def metrics(self) -> frozenset[Metric]:
        """What it reads."""
        if self.is_composite:
            return frozenset()
        return frozenset(metric_of(stat["Metric"]) for stat in self._stats().values())

    def states(self, published: Published, minutes: int) -> States:
        """Return the state of a metric alarm after each minute."""
        stats = self._stats()
        period_minutes = max(stat["Period"] for stat in stats.values()) // MINUTE_S
        read = {
            query_id: _read(published, metric_of(stat["Metric"]), stat["Stat"], period_minutes, minutes)
            for query_id, stat in stats.items()
        }
        values = read[""] if "" in read else self._expression(read)
        few = None
        if self.properties.get("EvaluateLowSampleCountPercentile") == "ignore":
            few = _too_few(published, stats[""], period_minutes, minutes)
        periods = self.properties["EvaluationPeriods"]
        return states_of(
            values,
            comparison=self.properties["ComparisonOperator"],
            threshold=self.properties["Threshold"],
            period_minutes=period_minutes,
            datapoints_to_alarm=self.properties.get("DatapointsToAlarm", periods),
            evaluation_periods=periods,
            treat_missing_data=self.properties.get("TreatMissingData", "missing"),
            too_few_samples=few,
        )

    def _stats(self) -> dict[str, dict[str, Any]]:
        """Return the metrics by the ids of their queries; one alone has no id."""
        if "Metrics" in self.properties:
            return {
                query["Id"]: query["MetricStat"]
                for query in self.properties["Metrics"]
                if "MetricStat" in query
            }
        properties = self.properties
        stat = properties.get("Statistic") or properties["ExtendedStatistic"]
        return {"": {"Metric": properties, "Period": properties["Period"], "Stat": stat}}

    def _expression(self, read: Mapping[str, Floats]) -> Floats:
        values = dict(read)
        queries = [query for query in self.properties["Metrics"] if "Expression" in query]
        for _ in queries:
            for query in queries:
                # An expression may name another one that stands behind it.
                try:
                    values[query["Id"]] = value_of(query["Expression"], values)
                except ValueError:
                    continue
        returned = next(query for query in self.properties["Metrics"] if query.get("ReturnData", True))
        return values[returned["Id"]]


def metric_of(properties: Mapping[str, Any]) -> Metric:
    """Return namespace, name and dimensions."""
    dimensions = properties.get("Dimensions", [])
    return (
        properties["Namespace"],
        properties["MetricName"],
        frozenset((str(pair["Name"]), str(pair["Value"])) for pair in dimensions),
    )


def _read(published: Published, metric: Metric, statistic: str, period_minutes: int, minutes: int) -> Floats:
    series = published.get(metric)
    return np.full(minutes, MISSING) if series is None else series.statistic(statistic, period_minutes)


def _too_few(published: Published, stat: Mapping[str, Any], period_minutes: int, minutes: int) -> Any:
    """Tell in which minutes there are "fewer than 10/(1-percentile) data points".

    "Percentile-based CloudWatch alarms and low data samples",
    https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/percentiles-with-low-samples.html
    """
    samples = _read(published, metric_of(stat["Metric"]), "SampleCount", period_minutes, minutes)
    percentile = percentile_of(stat["Stat"])
    enough = 10 / (1 - percentile if percentile >= 0.5 else percentile)
    return np.nan_to_num(samples) < round(enough)


def replay(alarms: Mapping[str, TemplateAlarm], published: Published, minutes: int) -> dict[str, States]:
    """Return the states of all alarms by name, those of composite alarms last."""
    states = {
        alarm.name: alarm.states(published, minutes) for alarm in alarms.values() if not alarm.is_composite
    }
    for alarm in alarms.values():
        if alarm.is_composite:
            states[alarm.name] = composite_states(alarm.properties["AlarmRule"], states)
    return states


def notifications(
    alarms: Mapping[str, TemplateAlarm], states: Mapping[str, States]
) -> Iterator[tuple[int, str]]:
    """Yield the minute and the alarm of each notification that something is wrong."""
    for alarm in alarms.values():
        after = states[alarm.name]
        changes = np.flatnonzero(np.diff(after, prepend=INSUFFICIENT_DATA))
        if suppressor := alarm.properties.get("ActionsSuppressor"):
            wait, extension = (
                alarm.properties.get(f"ActionsSuppressor{name}Period", 0) // MINUTE_S
                for name in ("Wait", "Extension")
            )
            changes = np.flatnonzero(
                unsuppressed(after, states[suppressor], wait_minutes=wait, extension_minutes=extension)
            )
        yield from ((int(at), alarm.name) for at in changes if after[at] in alarm.notifies)


def alarms_of(template: Mapping[str, Any]) -> dict[str, TemplateAlarm]:
    """Return the alarms by name; those of autoscaling and of wake-ups, which notify nobody, are among them."""
    resources = template["Resources"]
    found = {}
    for logical_id, resource in resources.items():
        if resource["Type"] in ("AWS::CloudWatch::Alarm", "AWS::CloudWatch::CompositeAlarm"):
            properties = {key: _resolved(value, resources) for key, value in resource["Properties"].items()}
            name = properties.get("AlarmName", logical_id)
            actions = {ALARM: "AlarmActions", INSUFFICIENT_DATA: "InsufficientDataActions"}
            notified = frozenset(
                state
                for state, key in actions.items()
                if any("Topic" in action for action in properties.get(key, []))
            )
            found[name] = TemplateAlarm(name, properties, notified)
    return found


def rollback_alarms_of(template: Mapping[str, Any]) -> frozenset[str]:
    """Return the names of the alarms that call a new fleet, a new version of a function, or new tasks back."""
    resources = template["Resources"]
    found = set()
    for resource in resources.values():
        properties = resource.get("Properties", {})
        of_endpoint = properties.get("DeploymentConfig", {}).get("AutoRollbackConfiguration", {})
        of_function = properties.get("AlarmConfiguration", {})
        for alarm in (*of_endpoint.get("Alarms", []), *of_function.get("Alarms", [])):
            found.add(_resolved(alarm.get("AlarmName", alarm.get("Name")), resources))
        of_service = properties.get("DeploymentConfiguration", {})
        if isinstance(of_service, dict):
            found.update(
                _resolved(name, resources) for name in of_service.get("Alarms", {}).get("AlarmNames", [])
            )
    return frozenset(found)


def _resolved(value: Any, resources: Mapping[str, Any]) -> Any:
    """Return a value in which each reference is the name of what it refers to."""
    match value:
        case {"Ref": name}:
            resource = resources.get(name, {})
            return _resolved(
                resource.get("Properties", {}).get(_NAMES.get(resource.get("Type"), ""), name), resources
            )
        case {"Fn::GetAtt": [name, attribute]}:
            named = resources.get(name, {}).get("Properties", {}).get(attribute)
            return _resolved(named, resources) if named is not None else f"{name}.{attribute}"
        case {"Fn::Join": [separator, parts]}:
            return separator.join(str(_resolved(part, resources)) for part in parts)
        case dict():
            return {key: _resolved(inner, resources) for key, inner in value.items()}
        case list():
            return [_resolved(inner, resources) for inner in value]
    return value


_NAMES = {
    "AWS::CloudWatch::Alarm": "AlarmName",
    "AWS::CloudWatch::CompositeAlarm": "AlarmName",
    "AWS::SageMaker::Endpoint": "EndpointName",
    "AWS::SageMaker::InferenceComponent": "InferenceComponentName",
    "AWS::Lambda::Function": "FunctionName",
}
