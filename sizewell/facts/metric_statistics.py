"""A statistic of one metric as CloudWatch is asked for it, and for how long CloudWatch keeps what it answers from."""

from dataclasses import dataclass

from sizewell.facts.durations import HOUR_S, MINUTE_S
from sizewell.facts.endpoint_metrics import endpoint_metrics
from sizewell.facts.metrics import Dimensions

#: A value at the second at which its period begins, counted from the first second that is read.
Series = dict[int, float]
#: The days for which CloudWatch keeps values, by their period in seconds, finest first
#: (https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_GetMetricStatistics.html).
KEPT_DAYS = {MINUTE_S: 15, 5 * MINUTE_S: 63, HOUR_S: 455}
#: What is read ends with the last full hour, so the first of these days may begin up to an hour earlier.
MAX_DAYS = KEPT_DAYS[HOUR_S] - 1


@dataclass(frozen=True)
class MetricStatistic:
    """One statistic of a metric, over all that ``dimensions`` select, for each period."""

    metric: str
    statistic: str
    dimensions: Dimensions
    period_s: int

    def __post_init__(self) -> None:
        assert endpoint_metrics()[self.metric].allows(self.statistic), (
            f"{self.metric} has no {self.statistic}"
        )

    @property
    def namespace(self) -> str:
        """Where CloudWatch has the metric."""
        return endpoint_metrics()[self.metric].namespace


def finest_period_s(days: int) -> int:
    """Return the shortest period of which CloudWatch still has all values of the last days, at most ``MAX_DAYS``."""
    return next(period_s for period_s, kept in KEPT_DAYS.items() if days < kept)
