"""The lines of graphs, whichever service publishes their metrics."""

from collections.abc import Iterable, Mapping

from sizewell.dashboards.graph import Graph, Limit, Reading, Search, Series
from sizewell.facts.metrics import Dimensions, metric
from sizewell.planning.on_demand_plan_model import ConcurrencyScalingPlan
from sizewell.planning.workload_plan import AlarmPlan

#: By how much requests go up and down with the hours of the day, in the page that needs no account.
DAILY_SWING = 0.6
#: The latency of a percentile against the 95th, in the same page.
USUAL_LATENCY = {"p50": 0.5, "p95": 1.0, "p99": 1.4}


def reading(namespace: str, name: str, statistic: str, dimensions: Dimensions) -> Reading:
    """Return a time series. Raises ``UnknownMetricError`` and ``NotPublishedError``."""
    return Reading(metric=metric(namespace, name), statistic=statistic, dimensions=dimensions)


def line(
    label: str,
    source: Reading | Search,
    usual: float,
    *,
    expression: str = "m",
    swing: float = 0.1,
    on_right_axis: bool = False,
) -> Series:
    """Return a line of one metric, whose id in the expression is ``m``."""
    return Series(
        label=label,
        expression=expression,
        readings={"m": source},
        usual=usual,
        swing=swing,
        on_right_axis=on_right_axis,
    )


def requests_graph(what: str, sources: Iterable[tuple[str, Reading, float]]) -> Graph:
    """Return the requests per second, beside the averages that the configuration states: a label, their sum, the average."""
    sources = tuple(sources)
    return Graph(
        title="Requests",
        unit="per second",
        series=tuple(
            line(f"{label}{what}", source, average, expression="m / PERIOD(m)", swing=DAILY_SWING)
            for label, source, average in sources
        ),
        limits=tuple(Limit(f"{label}stated average", round(average, 3)) for label, _, average in sources),
    )


def provisioned_concurrency_graph(busy: Reading, scaling: ConcurrencyScalingPlan | None) -> Graph:
    """Return how much of the provisioned concurrency is busy, beside the target of its scaling."""
    limits = (
        () if scaling is None else (Limit("target of scaling", round(100 * scaling.target_utilization, 1)),)
    )
    return Graph(
        title="Provisioned concurrency",
        unit="%",
        series=(line("busy", busy, 60, expression="100 * m", swing=0.4),),
        limits=limits,
    )


def alarm_limits(alarms: Mapping[str, AlarmPlan], labels: Mapping[str, str]) -> tuple[Limit, ...]:
    """Return the thresholds of the alarms that are on, those of one value as one line."""
    return alarm_limits_of_several({"": alarms}, labels)


def alarm_limits_of_several(
    alarms: Mapping[str, Mapping[str, AlarmPlan]], labels: Mapping[str, str]
) -> tuple[Limit, ...]:
    """Return the thresholds of what stands side by side, by label; a threshold that all share is named once."""
    named: dict[float, list[str]] = {}
    for name, label in labels.items():
        values = {whose: of_one[name].threshold for whose, of_one in alarms.items() if name in of_one}
        if len(set(values.values())) == 1:
            values = {"": next(iter(values.values()))}
        for whose, value in values.items():
            named.setdefault(value, []).append(f"{whose}{label}")
    return tuple(Limit(f"alarm: {', '.join(names)}", value) for value, names in named.items())
