"""The states of a metric alarm, from the data points that it watches.

"Alarm evaluation" and "Configuring how CloudWatch alarms treat missing data",
https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-evaluation.html and .../alarms-and-missing-data.html.
"""

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from tools.benchmarks.alarm_replay.series import Floats

States = npt.NDArray[np.int8]
Truths = npt.NDArray[np.bool_]
OK, ALARM, INSUFFICIENT_DATA = 0, 1, 2
_KEPT = -1

#: "CloudWatch attempts to retrieve a higher number of data points than the number specified as Evaluation Periods. The exact
#: number depends on the length of the alarm period": the examples retrieve five for three.
FURTHER_DATA_POINTS = 2

_BREACHES: Mapping[str, Callable[[Floats, float], Truths]] = {
    "GreaterThanThreshold": np.greater,
    "GreaterThanOrEqualToThreshold": np.greater_equal,
    "LessThanThreshold": np.less,
    "LessThanOrEqualToThreshold": np.less_equal,
}


def states_of(
    values: Floats,
    *,
    comparison: str,
    threshold: float,
    period_minutes: int,
    datapoints_to_alarm: int,
    evaluation_periods: int,
    treat_missing_data: str,
    too_few_samples: Truths | None = None,
) -> States:
    """Return the state at the end of each minute; ``values`` are of the period that ends with it.

    "If the period of an alarm is a minute or longer, the alarm is evaluated every minute", each time over the periods that end
    then. The state stays as it was where there are ``too_few_samples``.
    """
    retrieved = evaluation_periods + FURTHER_DATA_POINTS
    # The newest data point first.
    data = np.full((len(values), retrieved), np.nan)
    for age in range(retrieved):
        passed = age * period_minutes
        data[passed:, age] = values[: max(len(values) - passed, 0)]
    states = evaluate(
        data,
        _BREACHES[comparison](np.nan_to_num(data), threshold),
        datapoints_to_alarm=datapoints_to_alarm,
        evaluation_periods=evaluation_periods,
        treat_missing_data=treat_missing_data,
    )
    if too_few_samples is not None:
        states = np.where(too_few_samples, _KEPT, states).astype(np.int8)
    return _keep(states)


def evaluate(
    data: Floats,
    breaching: Truths,
    *,
    datapoints_to_alarm: int,
    evaluation_periods: int,
    treat_missing_data: str,
) -> States:
    """Return the state after each row of ``data``, whose newest data point is the first; -1 keeps the state."""
    exists = ~np.isnan(data)
    number = exists.sum(axis=1)
    # "the most recent existing data points": missing ones count only where there are too few others.
    used = exists & (exists.cumsum(axis=1) <= evaluation_periods)
    breaches = (used & breaching).sum(axis=1)
    filled = np.maximum(evaluation_periods - number, 0)
    if treat_missing_data == "breaching":
        breaches = breaches + filled
    alarm: Truths = breaches >= datapoints_to_alarm
    states: States = alarm.astype(np.int8)
    if treat_missing_data in ("breaching", "notBreaching"):
        return states
    only_breaching = (filled > 0) & (number > 0) & (breaches == number)
    if treat_missing_data == "ignore":
        return np.where((number == 0) | (only_breaching & ~alarm), _KEPT, states).astype(np.int8)
    # "Avoiding premature transitions to alarm state": the oldest breaching data point is as old as Datapoints to Alarm, and all
    # that are newer breach or are missing.
    age = data.shape[1] - exists[:, ::-1].argmax(axis=1)
    states = np.where(
        only_breaching, np.where(age >= datapoints_to_alarm, ALARM, INSUFFICIENT_DATA), states
    ).astype(np.int8)
    return np.where(number == 0, INSUFFICIENT_DATA, states).astype(np.int8)


def _keep(states: States) -> States:
    """Put the state before into each -1; an alarm starts with INSUFFICIENT_DATA."""
    known = np.concatenate([[INSUFFICIENT_DATA], states]).astype(np.int8)
    last = np.maximum.accumulate(np.where(known == _KEPT, 0, np.arange(len(known))))
    return known[last][1:].astype(np.int8)
