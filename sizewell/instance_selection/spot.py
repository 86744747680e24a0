"""Managed Spot: what interruptions cost a training job."""

import numpy as np

from sizewell.facts.billing import HOURS_PER_MONTH
from sizewell.instance_selection.catalog import SpotHistory
from sizewell.instance_selection.estimation.coefficients import Array

#: Share of instances that are interrupted in a month, by the band that the EC2 Spot Instance Advisor shows: its
#: upper end, and for the open band a guess on the safe side.
MONTHLY_INTERRUPTIONS = {"<5%": 0.05, "5-10%": 0.10, "10-15%": 0.15, "15-20%": 0.20, ">20%": 0.50}
UNKNOWN_MONTHLY_INTERRUPTIONS = 0.5
#: Starting instances, pulling the image and loading the first data; billed like the rest.
START_UP_HOURS = 10 / 60


def interruption_rate(history: SpotHistory | None) -> float:
    """Return the interruptions of one instance per hour, from its band; the worst where there is none."""
    share = (
        UNKNOWN_MONTHLY_INTERRUPTIONS if history is None else MONTHLY_INTERRUPTIONS[history.interruption_band]
    )
    return share / HOURS_PER_MONTH


def shortest_attempt_hours(checkpoint_interval_hours: float) -> float:
    """Return the time below which an attempt on Spot leaves nothing behind: a start, and the first checkpoint."""
    return START_UP_HOURS + checkpoint_interval_hours


def expected_duration_hours(
    work_hours: float | Array, rate_per_hour: float | Array, checkpoint_interval_hours: float
) -> Array:
    """Return start to end: start-up, work, and for each expected interruption a start-up and half an interval.

    The rate is that of the whole job: an interruption of any of its instances stops it.
    """
    lost = np.asarray(work_hours) * rate_per_hour * (START_UP_HOURS + checkpoint_interval_hours / 2)
    return np.asarray(START_UP_HOURS + work_hours + lost)
