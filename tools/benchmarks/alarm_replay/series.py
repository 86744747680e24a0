"""What a metric published, minute by minute, and the statistics that CloudWatch makes of it.

https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Statistics-definitions.html
"""

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
MISSING = float("nan")
_PERCENTILE_RANK = re.compile(r"PR\(([\d.]+):([\d.]+)\)")


@dataclass(frozen=True, eq=False)
class Series:
    """How often each of the ``levels``, in ascending order, was published in each minute: ``counts[minute, level]``."""

    levels: Floats
    counts: Floats

    @property
    def minutes(self) -> int:
        """How long the series is."""
        return len(self.counts)

    def statistic(self, statistic: str, period_minutes: int) -> Floats:
        """Return for each minute the statistic of the period that ends with it, NaN where nothing was published."""
        counts = self._windows(period_minutes)
        samples = counts.sum(axis=1)
        some = samples > 0
        if statistic == "SampleCount":
            return np.where(some, samples, MISSING)
        if statistic in ("Sum", "Average"):
            total = counts @ self.levels
            return np.where(some, total if statistic == "Sum" else total / np.maximum(samples, 1), MISSING)
        if bounds := _PERCENTILE_RANK.fullmatch(statistic):
            # "exclusive on the lower bound and inclusive on the upper bound".
            within = (self.levels > float(bounds[1])) & (self.levels <= float(bounds[2]))
            return np.where(some, 100 * counts[:, within].sum(axis=1) / np.maximum(samples, 1), MISSING)
        if statistic == "Minimum":
            found = (counts > 0).argmax(axis=1)
        elif statistic == "Maximum":
            found = len(self.levels) - 1 - (counts[:, ::-1] > 0).argmax(axis=1)
        else:
            rank = np.ceil(samples * percentile_of(statistic))
            found = (counts.cumsum(axis=1) >= np.maximum(rank, 1)[:, None]).argmax(axis=1)
        return np.where(some, self.levels[found], MISSING)

    def _windows(self, period_minutes: int) -> Floats:
        total = np.vstack([np.zeros((1, len(self.levels))), self.counts.cumsum(axis=0)])
        ends = np.arange(1, self.minutes + 1)
        windows: Floats = np.round(total[ends] - total[np.maximum(ends - period_minutes, 0)])
        return windows


def percentile_of(statistic: str) -> float:
    """Return 0.99 of p99; raises ValueError for what is no percentile."""
    if not statistic.startswith("p"):
        raise ValueError(f"{statistic} is no statistic that the replay knows")
    return float(statistic[1:]) / 100
