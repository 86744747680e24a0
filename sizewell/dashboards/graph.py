"""A dashboard as plain data: sections of graphs, each of which draws metrics of the catalog beside their limits."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from sizewell.facts.metrics import Dimensions, Metric


class NotPublishedError(ValueError):
    """A metric has no such statistic or dimensions: the graph would stay empty."""


@dataclass(frozen=True, kw_only=True)
class Reading:
    """One time series. Raises ``NotPublishedError``."""

    metric: Metric
    statistic: str
    dimensions: Dimensions

    def __post_init__(self) -> None:
        """Check statistic and dimensions against the catalog."""
        _check(self.metric, self.statistic, [name for name, _ in self.dimensions])


@dataclass(frozen=True, kw_only=True)
class Search:
    """Every time series whose one dimension contains a name, such as those of all jobs of a workload.

    Raises ``NotPublishedError``.
    """

    metric: Metric
    statistic: str
    dimension: str
    contains: str

    def __post_init__(self) -> None:
        """Check statistic and dimension against the catalog."""
        _check(self.metric, self.statistic, [self.dimension])


@dataclass(frozen=True, kw_only=True)
class Series:
    """One line of a graph, or those that a search finds."""

    label: str
    expression: str = "m"
    """Metric math of the ids in ``readings``."""
    readings: Mapping[str, Reading | Search]
    usual: float
    """What the plan expects of it, which the page draws that needs no account."""
    swing: float = 0.1
    """The share by which it goes up and down with the hours of the day."""
    on_right_axis: bool = False


@dataclass(frozen=True)
class Limit:
    """A horizontal line: the threshold of an alarm, or the target of a scaling policy."""

    label: str
    value: float


@dataclass(frozen=True, kw_only=True)
class Graph:
    """Lines over time, from zero."""

    title: str
    unit: str
    series: tuple[Series, ...]
    limits: tuple[Limit, ...] = ()
    right_unit: str | None = None
    """None where nothing is on the right axis."""
    days: int = 1
    """How far back it looks at first."""


@dataclass(frozen=True, kw_only=True)
class Section:
    """What belongs to one workload."""

    title: str
    text: str
    """Markdown."""
    graphs: tuple[Graph, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Dashboard:
    """What one account and region has."""

    name: str
    region: str
    sections: tuple[Section, ...]
    left_out: tuple[str, ...] = field(default=())
    """Workloads for which a dashboard has no room."""


def _check(metric: Metric, statistic: str, dimensions: Collection[str]) -> None:
    if not metric.allows(statistic):
        allowed = ", ".join(metric.statistics) or "none that is known"
        raise NotPublishedError(f"{metric.name} has no {statistic}, but: {allowed}")
    if not metric.has_dimensions(dimensions):
        raise NotPublishedError(
            f"{metric.name} in {metric.namespace} is not published with {', '.join(dimensions) or 'no dimension'}"
        )
