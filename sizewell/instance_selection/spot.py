"""Managed Spot: how long it may be tried, and what interruptions cost a training job."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sizewell.facts.billing import HOURS_PER_MONTH
from sizewell.instance_selection.catalog import SpotHistory
from sizewell.instance_selection.estimation.coefficients import Array
from sizewell.instance_selection.requirements import START_UP_HOURS, SpotRequirements

#: Share of instances that are interrupted in a month, by the band that the EC2 Spot Instance Advisor shows: its
#: upper end, and for the open band a guess on the safe side.
MONTHLY_INTERRUPTIONS = {"<5%": 0.05, "5-10%": 0.10, "10-15%": 0.15, "15-20%": 0.20, ">20%": 0.50}
UNKNOWN_MONTHLY_INTERRUPTIONS = 0.5


def interruption_rate(history: SpotHistory | None) -> float:
    """Return the interruptions of one instance per hour, from its band; the worst where there is none."""
    share = (
        UNKNOWN_MONTHLY_INTERRUPTIONS if history is None else MONTHLY_INTERRUPTIONS[history.interruption_band]
    )
    return share / HOURS_PER_MONTH


def shortest_attempt_hours(checkpoint_interval_hours: float, start_up_hours: float = START_UP_HOURS) -> float:
    """Return the time below which an attempt on Spot leaves nothing behind: a start, and the first checkpoint."""
    return start_up_hours + checkpoint_interval_hours


@dataclass(frozen=True, kw_only=True)
class SpotRuns:
    """How runs go that are tried on Spot first; the arrays have one shape, and so have the answers.

    The rate is that of the whole job: an interruption of any of its instances stops it. ``margin`` is what a run on demand may
    take longer than estimated.
    """

    spot: SpotRequirements
    work_hours: Array
    interruptions_per_hour: Array
    deadline_hours: float
    margin: float
    start_up_hours: float = START_UP_HOURS
    """Of each start, paid for like the work."""

    @cached_property
    def undisturbed_hours(self) -> Array:
        """From start to end on Spot, however long: start-up, work, and for each expected interruption another start-up and half
        a checkpoint interval.
        """
        lost_each = self.start_up_hours + self.spot.checkpoint_interval_hours / 2
        lost = self.work_hours * self.interruptions_per_hour * lost_each
        return np.asarray(self.start_up_hours + self.work_hours + lost)

    @cached_property
    def window_hours(self) -> Array:
        """How long Spot may be tried: until a whole run on demand, with its margin, would just meet the deadline."""
        if not self.spot.on_demand_fallback:
            return np.full(self.work_hours.shape, self.deadline_hours)
        window = self.deadline_hours - (self.start_up_hours + self.work_hours) * (1 + self.margin)
        longest = math.inf if self.spot.max_wait_hours is None else self.spot.max_wait_hours
        window = np.clip(window, 0.0, longest)
        shortest = shortest_attempt_hours(self.spot.checkpoint_interval_hours, self.start_up_hours)
        return np.where(window < shortest, 0.0, window)

    @cached_property
    def spot_hours(self) -> Array:
        """Hours on Spot of a run that gets the capacity at once; zero where there is no time for it."""
        return np.minimum(self.undisturbed_hours, self.window_hours)

    @cached_property
    def hours(self) -> Array:
        """From start to end, with the part that ends on demand: another start-up, and half a checkpoint interval again."""
        whole, window = self.undisturbed_hours, self.window_hours
        with np.errstate(invalid="ignore"):  # where nothing fits: infinite by infinite
            left = np.nan_to_num(1 - window / whole, nan=1.0)
        again = self.start_up_hours + np.where(window > 0, self.spot.checkpoint_interval_hours / 2, 0.0)
        return np.asarray(np.where(whole <= window, whole, window + left * self.work_hours + again))
