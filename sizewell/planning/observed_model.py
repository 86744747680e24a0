"""What CloudWatch knows of a model that answers: which statistics are read, and what they say together."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sizewell.config.tree import KeyPath
from sizewell.facts.durations import DAY_S, HOUR_S
from sizewell.facts.endpoint_metrics import endpoint_metrics
from sizewell.facts.metric_statistics import MetricStatistic, Series
from sizewell.facts.metrics import Dimensions, MetricSum

#: Of the instances of a variant, with the statistic that is read: the mean of the fleet, and the fullest instance.
HOST_STATISTICS = {"CPUUtilization": "Average", "GPUUtilization": "Average", "MemoryUtilization": "Maximum"}


@dataclass(frozen=True, kw_only=True)
class ObservedModel:
    """A model whose traffic is stated, by the metrics that its kind publishes."""

    path: KeyPath = ()
    """Where its workload states it."""
    endpoint_name: str
    variant_name: str
    """The variant whose instances are looked at."""
    load: tuple[Dimensions, ...]
    """Of all that answers its requests; latency is that of the first."""
    host: Dimensions
    host_metrics: tuple[str, ...] = tuple(HOST_STATISTICS)
    counted_by: tuple[str, str] = ("Invocations", "Sum")
    """The metric and the statistic that count requests."""
    queue: Dimensions | None = None
    """Where requests wait; None answers at once."""

    def statistics(self, period_s: int) -> tuple[MetricStatistic, ...]:
        """Return all that is read; the load for each ``period_s``, all else for each hour."""
        return (
            *self._requests(period_s),
            *self._model_time(period_s),
            *self._backlog(period_s),
            *(self._latency(percentile) for percentile in ("p50", "p95")),
            *(self._host(metric) for metric in self.host_metrics),
        )

    def seen(
        self,
        series: Mapping[MetricStatistic, Series],
        *,
        days: int,
        period_s: int,
        age_s: float,
        vcpus: int,
        gpus: int,
    ) -> "Seen":
        """Return what was read over some days, of an endpoint of that age.

        ``vcpus`` and ``gpus`` are of one instance; 0 is unknown, and leaves its utilisation out.
        """
        answered = _sum(series[statistic] for statistic in self._requests(period_s))
        parts = {MetricSum.VCPUS: vcpus, MetricSum.GPUS: gpus, MetricSum.INSTANCE: 1}
        of = {metric: parts[endpoint_metrics()[metric].summed_over] for metric in self.host_metrics}
        return Seen(
            days=min(days, max(age_s, HOUR_S) / DAY_S),
            asked_days=days,
            period_s=period_s,
            requests=_arrived(
                answered, _sum(series[statistic] for statistic in self._backlog(period_s)), period_s
            ),
            model_time_us=_sum(series[statistic] for statistic in self._model_time(period_s)),
            p50_us=series[self._latency("p50")],
            p95_us=series[self._latency("p95")],
            utilization={
                metric: max(found.values()) / of[metric]
                for metric in self.host_metrics
                if (found := series[self._host(metric)]) and of[metric]
            },
        )

    def _requests(self, period_s: int) -> tuple[MetricStatistic, ...]:
        return tuple(MetricStatistic(*self.counted_by, dimensions, period_s) for dimensions in self.load)

    def _model_time(self, period_s: int) -> tuple[MetricStatistic, ...]:
        return tuple(MetricStatistic("ModelLatency", "Sum", dimensions, period_s) for dimensions in self.load)

    def _backlog(self, period_s: int) -> tuple[MetricStatistic, ...]:
        queue = self.queue
        return (MetricStatistic("ApproximateBacklogSize", "Maximum", queue, period_s),) if queue else ()

    def _latency(self, percentile: str) -> MetricStatistic:
        return MetricStatistic("ModelLatency", percentile, self.load[0], HOUR_S)

    def _host(self, metric: str) -> MetricStatistic:
        return MetricStatistic(metric, HOST_STATISTICS[metric], self.host, HOUR_S)


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What was seen of a model."""

    days: float
    """How long it was there in the time that was asked for."""
    asked_days: int
    period_s: int
    requests: Series
    """How many arrived, for each period in which there were any."""
    model_time_us: Series
    """How long the model worked on all requests of a period together, in microseconds."""
    p50_us: Series = field(default_factory=dict)
    """Of each hour, in microseconds."""
    p95_us: Series = field(default_factory=dict)
    utilization: Mapping[str, float] = field(default_factory=dict)
    """Percent of one instance in its busiest hour, by metric; what nothing is known of is left out."""

    @property
    def requests_per_second(self) -> Series:
        """The rate of each period."""
        return {at: count / self.period_s for at, count in self.requests.items()}

    @property
    def concurrency(self) -> Series:
        """Requests that the model worked on at a time, on average over each period (Little's law)."""
        return {at: busy / 1e6 / self.period_s for at, busy in self.model_time_us.items()}

    @property
    def busiest_hour(self) -> int | None:
        """The hour with the most requests; None without any."""
        by_hour: Series = {}
        for at, count in self.requests.items():
            by_hour[at // HOUR_S * HOUR_S] = by_hour.get(at // HOUR_S * HOUR_S, 0.0) + count
        return max(by_hour, key=lambda hour: (by_hour[hour], hour), default=None)

    def latency_ms(self, percentile: Series) -> float | None:
        """Return a percentile of the busiest hour; None where it has none."""
        found = percentile.get(self.busiest_hour) if self.busiest_hour is not None else None
        return None if found is None else found / 1000


def _arrived(answered: Series, backlog: Series, period_s: int) -> Series:
    """Return what came: what was answered, and by how much the queue grew. Only periods with requests are left."""
    came = {
        at: answered.get(at, 0.0) + backlog.get(at, 0.0) - backlog.get(at - period_s, 0.0)
        for at in sorted(answered.keys() | backlog.keys())
    }
    return {at: count for at, count in came.items() if count > 0}


def _sum(series: Iterable[Series]) -> Series:
    total: Series = {}
    for values in series:
        for at, value in values.items():
            total[at] = total.get(at, 0.0) + value
    return dict(sorted(total.items()))
